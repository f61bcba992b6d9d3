// SPDX-License-Identifier: Apache-2.0
// odd_profile SEED OUT: writes a generated profile full of corner cases, for tests against other programs.
#include <cstdio>
#include <cstdlib>

#include "format/format.h"
#include "support/generated_profiles.h"

int main(int argc, char** argv) {
  const auto* format = argc == 3 ? atys::format::format_for_path(argv[2]) : nullptr;
  if (format == nullptr) return 2;
  const auto profile = atys::test::generate_profile(std::strtoull(argv[1], nullptr, 10));
  const auto done = atys::format::write_profile_file(profile, *format, {}, argv[2]);
  if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done.ok() ? 0 : 1;
}
