// SPDX-License-Identifier: Apache-2.0
#include "format/firefox/categories.h"

#include "language/languages.h"

namespace atys::format::firefox {

namespace {

enum : size_t { kOther, kUser, kKernel, kJit, kInterpreter, kGpu };

size_t category_of(language::Category category) {
  switch (category) {
    case language::Category::Compiled: return kUser;
    case language::Category::Kernel: return kKernel;
    case language::Category::CompiledWhileRunning: return kJit;
    case language::Category::Interpreted: return kInterpreter;
    case language::Category::Gpu: return kGpu;
  }
  return kOther;
}

}  // namespace

size_t category_of(const Profile& profile, const profile::Frame& frame) {
  if (const auto* kind = language::find_frame_kind(profile.text(frame.kind))) return category_of(kind->facts->category);
  const std::string_view file = profile.text(profile.mappings[frame.mapping].filename);
  if (file.starts_with("[kernel") || file == "vmlinux" || file.ends_with("/vmlinux") || file.ends_with(".ko"))
    return kKernel;
  return frame.mapping == profile::kNoMapping ? kOther : kUser;
}

}  // namespace atys::format::firefox
