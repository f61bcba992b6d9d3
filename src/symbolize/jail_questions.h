// SPDX-License-Identifier: Apache-2.0
// Names of what a worker is asked, and of what it has kept.
#pragma once

#include <string_view>

namespace atys::symbolize {

inline constexpr std::string_view kResolveQuestion = "resolve";
inline constexpr std::string_view kSymbolsQuestion = "symbols by name";
inline constexpr std::string_view kSymbolsKind = "symbols-3";

}  // namespace atys::symbolize
