// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/protocol/era.h"

#include <algorithm>
#include <array>

namespace atys::present::mcp {

namespace {
constexpr std::array<std::string_view, 4> kLegacy = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
}

const std::vector<std::string>& modern_versions() {
  static const std::vector<std::string> kVersions = {std::string(kModernVersion)};
  return kVersions;
}

bool is_modern(std::string_view version) { return version == kModernVersion; }
bool is_legacy(std::string_view version) { return std::ranges::find(kLegacy, version) != kLegacy.end(); }
std::string_view negotiate(std::string_view asked) { return is_legacy(asked) ? asked : kNewestLegacyVersion; }

}  // namespace atys::present::mcp
