// SPDX-License-Identifier: Apache-2.0
// Frame kinds that have an agreed suffix in collapsed stacks. Other kinds have none and are not written.
#pragma once

#include <array>
#include <string_view>

namespace atys::format::collapsed {

struct Annotation {
  std::string_view suffix;
  std::string_view kind;
};

inline constexpr std::array<Annotation, 3> kAnnotations = {{{"_[k]", "kernel"}, {"_[j]", "jit"}, {"_[i]", "inlined"}}};
inline constexpr std::string_view kInlinedSuffix = "_[i]";

inline std::string_view suffix_of_kind(std::string_view kind) {
  for (const Annotation& annotation : kAnnotations) {
    if (annotation.kind == kind) return annotation.suffix;
  }
  return {};
}

}  // namespace atys::format::collapsed
