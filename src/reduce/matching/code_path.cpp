// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/code_path.h"

#include <algorithm>
#include <cctype>

#include "profile/hash_index.h"

namespace atys::reduce::matching {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

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
  return text.size() >= kShortest && std::ranges::all_of(text, is_hex) && std::ranges::any_of(text, is_digit);
}

// "python" of python3.11, "go" of go1.22.1: the languages' own way to name their folders.
std::string_view without_language_version(std::string_view part) {
  static constexpr std::string_view kLanguages[] = {"python", "libpython", "pypy", "go", "ruby",
                                                    "php",    "perl",      "node", "jdk"};
  const size_t end = std::min(part.find_first_of("0123456789"), part.size());
  if (end == part.size() || std::ranges::find(kLanguages, part.substr(0, end)) == std::end(kLanguages)) return part;
  return part.find_first_not_of("0123456789.", end) == std::string_view::npos ? part.substr(0, end) : part;
}

// Of "libz.so.1.2.13" and "_json.cpython-311-x86_64-linux-gnu.so".
std::string_view without_library_version(std::string_view part) {
  if (const size_t at = part.find(".cpython-"); at != std::string_view::npos) return part.substr(0, at);
  if (const size_t at = part.find(".so."); at != std::string_view::npos)
    return without_language_version(part.substr(0, at)).size() < at ? without_language_version(part.substr(0, at))
                                                                    : part.substr(0, at + 3);
  return part;
}

// Whether a part has an ending after `at`, and not that of an archive: "utf-8.py" has no version in it, "guava-23.0.jar"
// has.
bool is_source_file(std::string_view part, size_t at) {
  const size_t dot = part.rfind('.');
  if (dot == std::string_view::npos || dot < at || !is_letter(part.back())) return false;
  return !part.ends_with(".jar") && !part.ends_with(".so") && !part.ends_with(".egg");
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

bool has_go_version(std::string_view part) {
  const size_t at = part.find("@v");
  return at != std::string_view::npos && at + 2 < part.size() && is_digit(part[at + 2]);
}

// Where the package of a path begins, how many parts its name has, and in whose way it is kept.
struct Found {
  std::string_view keeper;
  size_t begin = 0;
  size_t parts = 0;
};

// What the part at `i` says of those after it.
Found package_at(const std::vector<std::string_view>& parts, size_t i) {
  const std::string_view part = parts[i];
  const size_t left = parts.size() - i - 1;
  if (left == 0) return {};
  const std::string_view next = parts[i + 1];
  if (part == "site-packages" || part == "dist-packages") {
    const bool is_egg = next.ends_with(".egg") && left > 1;
    return {"python", is_egg ? i + 2 : i + 1, 1};
  }
  if (part == "node_modules") return {"node", i + 1, next.starts_with('@') && left > 1 ? 2u : 1u};
  if (part == "gems") return {"ruby", i + 1, 1};
  if (part == "vendor") return {"vendor", i + 1, 1};
  if (part == "registry" && next == "src" && left > 2) return {"rust", i + 3, 1};
  if (part == "checkouts" && left > 2) return {"rust", i + 1, 1};
  if (part.starts_with("python") && without_version(part) == "python" && i > 0 && parts[i - 1].starts_with("lib"))
    return {"python-lib", i + 1, 0};
  return {};
}

// Go's modules have their version in the path: all up to there is their name, from the host on.
Found go_module(const std::vector<std::string_view>& parts) {
  const auto versioned = std::ranges::find_if(parts, has_go_version);
  if (versioned == parts.end()) return {};
  const auto is_host = [](std::string_view part) { return part.find('.', 1) != std::string_view::npos; };
  const auto begin = std::find_if(parts.begin(), versioned, is_host);
  return {"go", static_cast<size_t>(begin - parts.begin()), static_cast<size_t>(versioned + 1 - begin)};
}

Found find_package(const std::vector<std::string_view>& parts) {
  if (const Found go = go_module(parts); go.parts > 0) return go;
  for (size_t i = parts.size(); i-- > 0;)
    if (const Found found = package_at(parts, i); !found.keeper.empty() && found.begin < parts.size()) return found;
  return {};
}

std::string name_of_package(const CodePath& path, const Found& found) {
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
  if (const Found found = find_package(path.parts); !found.keeper.empty()) {
    path.package = name_of_package(path, found);
    path.in_package = path.parts.size() - found.begin;
  }
  return path;
}

std::string joined(const CodePath& path, size_t first, size_t end) {
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
