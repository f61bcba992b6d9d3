// SPDX-License-Identifier: Apache-2.0
#include "reduce/runtime_work.h"

#include <algorithm>
#include <vector>

#include "language/languages.h"

namespace atys::reduce {

namespace {

using language::Language;

struct Work {
  std::string_view name;
  language::Words signs;  // parts of the names of functions
};

// A stack that shows signs of several is called by the first.
const std::vector<Work>& works() {
  static const std::vector<Work> kWorks = {
      {"[garbage collection]", language::words_of_all(&Language::collects_garbage)},
      {"[compiling code]", language::words_of_all(&Language::compiles_code)},
      {"[scheduling]", language::words_of_all(&Language::schedules)},
      {"[starting and ending]", language::words_of_all(&Language::starts_and_ends)},
  };
  return kWorks;
}

}  // namespace

std::string_view runtime_work(std::span<const std::string_view> leaf_first) {
  for (const Work& work : works()) {
    for (const std::string_view name : leaf_first) {
      const auto is_in_name = [&](std::string_view sign) { return name.find(sign) != std::string_view::npos; };
      if (std::ranges::any_of(work.signs, is_in_name)) return work.name;
    }
  }
  return kOtherRuntimeWork;
}

}  // namespace atys::reduce
