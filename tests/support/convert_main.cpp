// SPDX-License-Identifier: Apache-2.0
// Converts a profile, for the scripts in tests/interop when they are not given the real program:
//   atys_convert_for_tests IN OUT        the format of OUT by its extension
//   atys_convert_for_tests --odd SEED OUT   writes a generated profile full of corner cases
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "format/format.h"
#include "support/generated_profiles.h"

namespace {

using atys::Profile;
using atys::Result;

Result<> convert(int argc, char** argv) {
  const std::string out = argv[argc - 1];
  const auto* format = atys::format::format_for_path(out);
  if (format == nullptr) return atys::fail(atys::ErrorCode::Unsupported, "no format writes " + out);
  if (std::string_view(argv[1]) == "--odd") {
    const Profile odd = atys::test::generate_profile(std::strtoull(argv[2], nullptr, 10));
    return atys::format::write_profile_file(odd, *format, {}, out);
  }
  const Profile profile = TRY(atys::format::read_profile_file(argv[1]));
  return atys::format::write_profile_file(profile, *format, {}, out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto done = convert(argc, argv);
  if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done.ok() ? 0 : 1;
}
