// SPDX-License-Identifier: Apache-2.0
// Something done with the effective user and group of another process, so that the kernel judges it as if that process did
// it: files get the right owner, links and folders of others are refused, sockets show the right peer. Only a thread of its
// own takes that identity; the rest of us keeps its rights, and nobody can signal or trace us meanwhile, because the real
// and the saved user stay.
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/result.h"

namespace atys::linux {

// Returns what `action` returns. Where it is our own identity already, `action` runs in the calling thread.
Result<> run_as(uid_t user, gid_t group, const std::function<Result<>()>& action);

}  // namespace atys::linux
