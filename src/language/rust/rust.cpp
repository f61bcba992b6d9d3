// SPDX-License-Identifier: Apache-2.0
#include "language/language.h"

namespace atys::language {

namespace {

constexpr std::string_view kHashDigits = "0123456789abcdefABCDEF";

bool is_rust_hash(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kHashDigits) == std::string_view::npos;
}

// "f::h0123456789abcdef", and "core[5f4b1c2d3e4f5a6b]::fmt" of the newer way.
void cut_rust_hash(std::string& name) {
  static constexpr size_t kLength = 16;
  const size_t at = name.rfind("::h");
  if (at != std::string::npos && name.size() == at + 3 + kLength && is_rust_hash(std::string_view(name).substr(at + 3)))
    name.erase(at);
  for (size_t open = name.find('['); open != std::string::npos; open = name.find('[', open + 1)) {
    const size_t close = name.find(']', open);
    if (close == std::string::npos) return;
    const std::string_view inside = std::string_view(name).substr(open + 1, close - open - 1);
    if (inside.size() >= 12 && is_rust_hash(inside)) name.erase(open, close + 1 - open);
  }
}

// registry/src/INDEX/serde-1.0.188/…, git/checkouts/serde-0123456789abcdef/…
std::optional<PackagePlace> crate_at(const PathParts& path, size_t folder) {
  const std::string_view part = path.parts[folder];
  const size_t left = path.parts.size() - folder - 1;
  if (left <= 2) return std::nullopt;
  if (part == "registry" && path.parts[folder + 1] == "src") return PackagePlace{"rust", folder + 3, 1};
  if (part == "checkouts") return PackagePlace{"rust", folder + 1, 1};
  return std::nullopt;
}

}  // namespace

const Language& rust() {
  static const Language facts{
      .name = "rust",
      .frame_kinds = {{.name = "rust", .category = Category::Compiled, .hue = 75}},
      .source_extensions = {".rs"},
      .library_folders = {"/.cargo/registry/", "/.cargo/git/"},
      .runtime_folders = {"/rustc/", "/rust/deps/", "/rustlib/"},
      .runtime_scopes = {"std", "core", "alloc"},
      .anonymous_endings = {"{{closure}}"},
      .cut_build = cut_rust_hash,
      .package_at = crate_at,
      .plain_folders = {"target", "release"},
  };
  return facts;
}

}  // namespace atys::language
