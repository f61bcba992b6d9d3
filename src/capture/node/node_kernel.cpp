// SPDX-License-Identifier: Apache-2.0
#include "capture/plain_kernel.h"

namespace atys::capture {

namespace {

std::string version(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view) {
  int32_t major_number = 0;
  int32_t minor_number = 0;
  if (!read_number(file, signs, "_ZN2v88internal7Version6major_E", major_number) ||
      !read_number(file, signs, "_ZN2v88internal7Version6minor_E", minor_number))
    return {};
  return std::to_string(major_number) + "." + std::to_string(minor_number);
}

}  // namespace

std::unique_ptr<ProfilingKernel> create_node_kernel() {
  return std::make_unique<PlainKernel>(
      "node",
      RuntimeSigns{.name = "JavaScript (V8)",
                   .files = {"libnode", "libv8"},
                   .symbols = {"_ZN2v87Isolate10GetCurrentEv", "v8dbg_FirstNonstringType"},
                   .version_symbols = {"_ZN2v88internal7Version6major_E", "_ZN2v88internal7Version6minor_E"},
                   .version = version},
      "frames of JavaScript functions are not resolved: compiled ones are addresses unless the process writes a perf map "
      "(node --perf-basic-prof)");
}

}  // namespace atys::capture
