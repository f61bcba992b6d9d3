// SPDX-License-Identifier: Apache-2.0
// The conditions of a selection, compiled once and asked of many windows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "reduce/pattern.h"
#include "store/profile_store.h"

namespace atys::store {

// By what name a window is known, and nothing of its time.
struct WindowNames {
  std::string_view service, kind, version, node, instance;
  const LabelList* labels = nullptr;

  // Empty: it has none of that.
  std::string_view value_of(std::string_view name) const;
};

WindowNames names_of(const Window& window);

class WindowFilter {
 public:
  static constexpr size_t kMostMatchers = 32;
  static constexpr size_t kLongestValue = 1024;

  // Fails where there are too many, or an expression is none.
  static Result<WindowFilter> compile(const Selection& selection);

  // What sums know of themselves: service, kind and version.
  bool fits_group(const WindowNames& names) const { return fits(group_, names); }
  // All the rest.
  bool fits_instance(const WindowNames& names) const { return fits(instance_, names); }
  bool fits(const WindowNames& names) const { return fits_group(names) && fits_instance(names); }
  // Whether there is a condition that only windows can answer.
  bool needs_windows() const { return !instance_.empty(); }

 private:
  struct Condition {
    Matcher matcher;
    std::optional<reduce::Pattern> pattern;
    bool fits(std::string_view value) const;
  };
  static bool fits(const std::vector<Condition>& conditions, const WindowNames& names);
  Result<> add(const Matcher& matcher);

  std::vector<Condition> group_, instance_;
};

}  // namespace atys::store
