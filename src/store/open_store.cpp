// SPDX-License-Identifier: Apache-2.0
#include "store/open_store.h"

#include <algorithm>
#include <cctype>

namespace atys::store {

namespace {

constexpr std::string_view kOfPlainPaths = "embedded";

// Empty: it is a path. A relative path with a colon in it can be written with "./" before it.
std::string_view scheme_of(std::string_view url) {
  const std::string_view word = url.substr(0, url.find(':'));
  const bool is_scheme = word.size() < url.size() && !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '_';
                         });
  return is_scheme ? word : std::string_view();
}

std::string usages() {
  std::string text;
  for (const StoreBackend& backend : all_store_backends()) {
    text += text.empty() ? "write " : " or ";
    text += std::string(backend.usage) + " (" + std::string(backend.summary) + ")";
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<ProfileStore>> open_store(const std::string& url) {
  const std::string_view given = scheme_of(url);
  const std::string_view scheme = given.empty() ? kOfPlainPaths : given;
  const std::string place = given.empty() ? url : url.substr(given.size() + 1);
  for (const StoreBackend& backend : all_store_backends())
    if (backend.scheme == scheme) return backend.open(place);
  return fail(ErrorCode::InvalidInput, "there is no store '" + std::string(scheme) + ":'", usages());
}

}  // namespace atys::store
