// SPDX-License-Identifier: Apache-2.0
// The Linux kernel. All of it is the runtime of what runs on it.
#include "language/language.h"

namespace atys::language {

namespace {

// As collapsed stacks say it.
bool is_marked_as_kernel(std::string_view name, std::string_view) { return name.ends_with("_[k]"); }

}  // namespace

const Language& kernel() {
  static const Language facts{
      .name = "kernel",
      .frame_kinds = {{.name = "kernel", .category = Category::Kernel, .hue = 30, .is_runtime = true}},
      .runtime_modules = {"vmlinux", "[kernel", "[vdso]", "[guest", "linux-vdso"},
      .runtime_module_endings = {".ko"},
      .is_runtime_function = is_marked_as_kernel,
      .starts_and_ends = {"do_exit", "execve", "exit_mmap"},
  };
  return facts;
}

}  // namespace atys::language
