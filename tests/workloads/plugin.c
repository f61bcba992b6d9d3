// SPDX-License-Identifier: Apache-2.0
// The shared objects of dlopen_loop.c: one function, named by the build, that lies at the same offset in each of them.
#include "truth.h"

ALONE uint64_t PLUGIN_FUNCTION(uint64_t n) { return spin(n, 5); }
