// SPDX-License-Identifier: Apache-2.0
// atys_fold_for_tests IN OUT: reads a profile of any format and writes it as collapsed stacks.
#include <cstdio>

#include "format/format.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: atys_fold_for_tests IN OUT\n");
    return 2;
  }
  const auto profile = atys::format::read_profile_file(argv[1]);
  if (!profile.ok()) {
    std::fprintf(stderr, "%s\n", profile.error().message.c_str());
    return 1;
  }
  const auto done = atys::format::write_profile_file(*profile, *atys::format::find_format("collapsed"), {}, argv[2]);
  if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done.ok() ? 0 : 1;
}
