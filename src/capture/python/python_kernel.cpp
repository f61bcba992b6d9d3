// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "capture/plain_kernel.h"

namespace atys::capture {

namespace {

// Py_Version is an unsigned long since 3.11: 0x030b02f0 is 3.11.2. Before that the name of the library says it.
std::string version(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view base_name) {
  uint64_t number = 0;
  if (read_number(file, signs, "Py_Version", number) && number >> 32 == 0 && number >> 24 >= 3)
    return fmt::format("{}.{}.{}", number >> 24 & 0xff, number >> 16 & 0xff, number >> 8 & 0xff);
  const size_t at = base_name.find("python3.");
  if (at == std::string_view::npos) return {};
  std::string text(base_name.substr(at + 6));
  text.resize(std::min(text.find_first_not_of("0123456789", 2), text.size()));
  return text;
}

}  // namespace

std::unique_ptr<ProfilingKernel> create_python_kernel() {
  return std::make_unique<PlainKernel>(
      "python",
      RuntimeSigns{.name = "Python",
                   .files = {"libpython"},
                   .sections = {".PyRuntime"},
                   .symbols = {"_PyRuntime"},
                   .version_symbols = {"Py_Version"},
                   .version = version},
      "frames of Python functions are not resolved: the interpreter's own C functions are shown");
}

}  // namespace atys::capture
