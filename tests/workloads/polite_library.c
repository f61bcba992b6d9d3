// SPDX-License-Identifier: Apache-2.0
// A library that is preloaded by somebody else: its function is taken in place of the C library's.
#include <unistd.h>
pid_t getsid(pid_t pid) { return pid + 4242; }
