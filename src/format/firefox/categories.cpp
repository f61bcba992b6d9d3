// SPDX-License-Identifier: Apache-2.0
#include "format/firefox/categories.h"

namespace atys::format::firefox {

namespace {

enum : size_t { kOther, kUser, kKernel, kJit, kInterpreter, kGpu };

struct KindCategory {
  std::string_view kind;
  size_t category;
};

constexpr KindCategory kKinds[] = {
    {"kernel", kKernel},    {"native", kUser},     {"go", kUser},          {"rust", kUser},
    {"user", kUser},        {"jit", kJit},         {"jvm", kJit},          {"dotnet", kJit},
    {"v8js", kJit},         {"luajit", kJit},      {"gpu", kGpu},          {"cpython", kInterpreter},
    {"ruby", kInterpreter}, {"php", kInterpreter}, {"perl", kInterpreter}, {"beam", kInterpreter},
};

}  // namespace

size_t category_of(const Profile& profile, const profile::Frame& frame) {
  const std::string_view kind = profile.text(frame.kind);
  for (const KindCategory& known : kKinds) {
    if (known.kind == kind) return known.category;
  }
  const std::string_view file = profile.text(profile.mappings[frame.mapping].filename);
  if (file.starts_with("[kernel") || file == "vmlinux" || file.ends_with("/vmlinux") || file.ends_with(".ko"))
    return kKernel;
  return frame.mapping == profile::kNoMapping ? kOther : kUser;
}

}  // namespace atys::format::firefox
