// SPDX-License-Identifier: Apache-2.0
// atys_convert_for_tests IN OUT: reads any format, writes the one that OUT's extension names.
#include <cstdio>

#include "format/format.h"

int main(int argc, char** argv) {
  using namespace atys;
  if (argc != 3) return std::fputs("usage: atys_convert_for_tests IN OUT\n", stderr), 2;
  const auto profile = format::read_profile_file(argv[1]);
  if (!profile.ok()) return std::fprintf(stderr, "%s\n", profile.error().message.c_str()), 1;
  const format::Format* const writer = format::format_for_path(argv[2]);
  if (writer == nullptr) return std::fprintf(stderr, "no format for %s\n", argv[2]), 2;
  const auto written = format::write_profile_file(*profile, *writer, {}, argv[2]);
  if (!written.ok()) return std::fprintf(stderr, "%s\n", written.error().message.c_str()), 1;
  return 0;
}
