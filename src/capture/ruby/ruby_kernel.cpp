// SPDX-License-Identifier: Apache-2.0
#include "capture/plain_kernel.h"

namespace atys::capture {

namespace {

std::string version(const symbolize::ElfFile& file, const FileSigns& signs, std::string_view) {
  return read_version(file, signs, "ruby_version");
}

}  // namespace

std::unique_ptr<ProfilingKernel> create_ruby_kernel() {
  return std::make_unique<PlainKernel>(
      "ruby",
      RuntimeSigns{.name = "Ruby",
                   .files = {"libruby"},
                   .symbols = {"ruby_current_vm_ptr", "ruby_version"},
                   .version_symbols = {"ruby_version"},
                   .version = version},
      "frames of Ruby methods are not resolved: the interpreter's own C functions are shown");
}

}  // namespace atys::capture
