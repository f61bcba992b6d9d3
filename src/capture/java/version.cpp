// SPDX-License-Identifier: Apache-2.0
#include "capture/java/version.h"

#include "base/byte_source.h"

namespace atys::capture::java {

std::string version_in(std::string_view constants) {
  constexpr std::string_view kBefore = " JRE (";
  constexpr size_t kLongest = 64;
  for (size_t at = constants.find(kBefore); at != std::string_view::npos; at = constants.find(kBefore, at + 1)) {
    const std::string_view rest = constants.substr(at + kBefore.size(), kLongest);
    const size_t end = rest.find(')');
    if (end != std::string_view::npos && end > 0 && rest[0] >= '1' && rest[0] <= '9')
      return std::string(rest.substr(0, end));
  }
  return {};
}

std::string version_of_file(const symbolize::ElfFile& file, const FileSigns&, std::string_view) {
  const auto constants = file.section(".rodata");
  return constants ? version_in(as_text(constants->bytes)) : "";
}

}  // namespace atys::capture::java
