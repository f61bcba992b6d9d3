// SPDX-License-Identifier: Apache-2.0
// atys_flame_for_tests IN OUT: any profile into whatever format OUT's extension says. For the tests of the pages.
#include <cstdio>

#include "format/format.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: atys_flame_for_tests IN OUT\n", stderr);
    return 2;
  }
  const atys::format::Format* format = atys::format::format_for_path(argv[2]);
  const auto profile = atys::format::read_profile_file(argv[1]);
  if (format == nullptr || !profile.ok()) {
    std::fprintf(stderr, "%s\n", format == nullptr ? "no format has this extension" : profile.error().message.c_str());
    return 1;
  }
  const auto written = atys::format::write_profile_file(*profile, *format, {}, argv[2]);
  if (!written.ok()) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written.ok() ? 0 : 1;
}
