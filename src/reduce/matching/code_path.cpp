// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/code_path.h"

#include <algorithm>
#include <cctype>

#include "base/hex.h"
#include "language/languages.h"
#include "profile/hash_index.h"

namespace atys::reduce::matching {

namespace {

using language::Language;
using language::PackagePlace;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// "1.2.3", "v18.17.0-linux-x64", "17-openjdk", "20240131": a number, and what a version may go on with.
bool begins_with_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  return end > 0 && (end == text.size() || std::string_view(".-+_").find(text[end]) != std::string_view::npos);
}

// "1.2.3", "v1.2.3", "12"; "v1" is more often that of an interface.
bool is_version(std::string_view text) {
  if (text.starts_with('v')) return text.find('.') != std::string_view::npos && is_version(text.substr(1));
  return !text.empty() && is_digit(text.front()) && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_hash(std::string_view text) {
  static constexpr size_t kShortest = 7;
  return text.size() >= kShortest && is_lower_hex(text) && std::ranges::any_of(text, is_digit);
}

// "python" of python3.11, "go" of go1.22.1: the languages' own way to name their folders.
std::string_view without_language_version(std::string_view part) {
  static const language::Words kFolders = language::words_of_all(&Language::versioned_folders);
  const size_t end = std::min(part.find_first_of("0123456789"), part.size());
  if (end == part.size() || !std::ranges::binary_search(kFolders, part.substr(0, end))) return part;
  return part.find_first_not_of("0123456789.", end) == std::string_view::npos ? part.substr(0, end) : part;
}

// Of "libz.so.1.2.13" and "_json.cpython-311-x86_64-linux-gnu.so".
std::string_view without_library_version(std::string_view part) {
  static const language::Words kMarks = language::words_of_all(&Language::module_marks);
  for (const std::string_view mark : kMarks)
    if (const size_t at = part.find(mark); at != std::string_view::npos) return part.substr(0, at);
  if (const size_t at = part.find(".so."); at != std::string_view::npos)
    return without_language_version(part.substr(0, at)).size() < at ? without_language_version(part.substr(0, at))
                                                                    : part.substr(0, at + 3);
  return part;
}

// Whether a part has an ending after `at`, and not that of an archive: "utf-8.py" has no version in it, "guava-23.0.jar"
// has.
bool is_source_file(std::string_view part, size_t at) {
  static const language::Words kArchives = language::words_of_all(&Language::archives);
  const size_t dot = part.rfind('.');
  if (dot == std::string_view::npos || dot < at || !is_letter(part.back())) return false;
  return std::ranges::none_of(kArchives, [&](std::string_view archive) { return part.ends_with(archive); });
}

// Without what goes before the path itself: how it is reached, and where a sandbox has it.
std::string_view below_sandbox(std::string_view path) {
  if (path.starts_with("file://")) path.remove_prefix(7);
  if (path.starts_with("/proc/self/cwd/")) return path.substr(15);
  if (!path.starts_with("/proc/")) return path;
  const size_t end = std::min(path.find_first_not_of("0123456789", 6), path.size());
  const std::string_view rest = path.substr(end);
  if (end == 6) return path;
  if (rest.starts_with("/root") && rest.substr(5).starts_with('/')) return rest.substr(5);
  return rest.starts_with("/cwd/") ? rest.substr(5) : path;
}

void split(std::string_view path, std::vector<std::string_view>& parts) {
  if (path.starts_with('/')) parts.push_back("/");
  for (size_t start = 0; start < path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") continue;
    const bool goes_up = part == ".." && !parts.empty() && parts.back() != ".." && parts.back() != "/";
    if (goes_up)
      parts.pop_back();
    else
      parts.push_back(part);
  }
  if (parts.size() > kMostParts) parts.erase(parts.begin(), parts.end() - kMostParts);
}

// By the whole path; else by the inmost folder that says something.
std::optional<PackagePlace> find_package(const language::PathParts& path) {
  static const auto kInPaths = language::functions_of_all(&Language::package_in);
  static const auto kAtFolders = language::functions_of_all(&Language::package_at);
  for (const auto package_in : kInPaths)
    if (const auto found = package_in(path)) return found;
  if (path.parts.empty()) return std::nullopt;
  for (size_t folder = path.parts.size() - 1; folder-- > 0;)
    for (const auto package_at : kAtFolders)
      if (const auto found = package_at(path, folder); found && found->begin < path.parts.size()) return found;
  return std::nullopt;
}

std::string name_of_package(const CodePath& path, const PackagePlace& found) {
  std::string name(found.keeper);
  for (size_t i = found.begin; i < std::min(found.begin + found.parts, path.stems.size()); ++i)
    name.append(i == found.begin ? " " : "/").append(path.stems[i]);
  return name;
}

}  // namespace

std::string_view without_version(std::string_view part) {
  if (is_version(part) || is_hash(part)) return "#";
  const size_t at = part.find('@', 1);
  if (at != std::string_view::npos && begins_with_version(part.substr(at + 1))) return part.substr(0, at);
  if (const auto shorter = without_library_version(part); shorter.size() < part.size()) return shorter;
  if (const auto shorter = without_language_version(part); shorter.size() < part.size()) return shorter;
  for (size_t i = 1; i + 1 < part.size(); ++i) {
    if (part[i] != '-' && part[i] != '_') continue;
    const std::string_view rest = part.substr(i + 1);
    if (!is_source_file(part, i) && (begins_with_version(rest) || is_hash(rest))) return part.substr(0, i);
  }
  return part;
}

CodePath parse_code_path(std::string_view text) {
  CodePath path;
  text = below_sandbox(text);
  if (const size_t query = text.find('?'); query != std::string_view::npos && query > 0) text = text.substr(0, query);
  split(text, path.parts);
  for (const std::string_view part : path.parts) path.stems.push_back(without_version(part));
  if (const auto found = find_package({path.parts, path.stems})) {
    path.package = name_of_package(path, *found);
    path.in_package = path.parts.size() - found->begin;
  }
  return path;
}

std::string path_of_parts(const CodePath& path, size_t first, size_t end) {
  std::string text;
  for (size_t i = first; i < end; ++i) {
    if (!text.empty() && text != "/") text += '/';
    text += path.parts[i];
  }
  return text;
}

std::vector<uint64_t> suffix_hashes(const std::vector<std::string_view>& parts) {
  std::vector<uint64_t> hashes;
  uint64_t hash = profile::hash_seed();
  for (size_t i = parts.size(); i-- > 0;) {
    hash = profile::hash_mix(hash, profile::hash_bytes(parts[i]));
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace atys::reduce::matching
