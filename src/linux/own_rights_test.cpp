// SPDX-License-Identifier: Apache-2.0
#include "linux/own_rights.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/capabilities.h"

namespace atys::linux {
namespace {

// In a process of its own: what is given up is gone.
TEST(own_rights, what_is_not_kept_is_gone_and_does_not_come_back) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool had = Capabilities::of_ourselves()->has(CAP_KILL);
    if (!keep_only(std::array<int, 1>{CAP_KILL}).ok()) ::_exit(1);
    for (const char* set : {"CapEff", "CapPrm", "CapInh", "CapAmb"}) {
      const auto left = Capabilities::of_ourselves(set);
      for (int capability = 0; capability < 64; ++capability) {
        const bool may_be =
            capability == CAP_KILL && (std::string_view(set) == "CapEff" || std::string_view(set) == "CapPrm");
        if (left->has(capability) && !may_be) ::_exit(2);
      }
    }
    if (had && (!Capabilities::of_ourselves()->has(CAP_KILL) || Capabilities::of_ourselves("CapBnd")->has(CAP_SYS_MODULE)))
      ::_exit(3);
    ::_exit(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace atys::linux
