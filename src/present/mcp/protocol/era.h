// SPDX-License-Identifier: Apache-2.0
// The two eras of the protocol. Modern (from 2026-07-28): every request says in its _meta which version it speaks and
// nothing is remembered between two. Legacy: `initialize` agrees on a version first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atys::present::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kNewestLegacyVersion = "2025-11-25";
inline constexpr std::string_view kVersionWithoutHeader = "2025-03-26";  // what a legacy HTTP client means that says none

const std::vector<std::string>& modern_versions();
bool is_modern(std::string_view version);
bool is_legacy(std::string_view version);
// Titles, output schemas and structured content came with 2025-06-18. Versions are dates: they compare as text.
constexpr bool has_structured_content(std::string_view version) { return version >= "2025-06-18"; }

// Its capability came with 2025-03-26, the method was there before.
constexpr bool has_completions(std::string_view version) { return version >= "2025-03-26"; }

// What `initialize` answers to a client that asks for `asked`.
std::string_view negotiate(std::string_view asked);

// Keys of _meta.
inline constexpr const char* kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kMetaServer = "io.modelcontextprotocol/serverInfo";

}  // namespace atys::present::mcp
