// SPDX-License-Identifier: Apache-2.0
#include "cli/token_files.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/quantities.h"
#include "base/secret_file.h"
#include "base/token.h"
#include "cli/listening.h"

namespace atys::cli {

namespace {

constexpr size_t kMostListBytes = size_t{1} << 20;
constexpr size_t kMostLines = 1000;
constexpr size_t kShortestToken = 16;
constexpr std::string_view kCertificate = "certificate";

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

Result<uint64_t> number_of_limit(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0)
    return fail(ErrorCode::InvalidInput, "'" + text + "' is no number above 0");
  return number;
}

Result<> set(Scope& scope, const std::string& word) {
  const size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (value.empty()) return fail(ErrorCode::InvalidInput, "'" + word + "' is no KEY=VALUE");
  if (key == "services")
    scope.services = split(value, ',');
  else if (key == "nodes")
    scope.nodes = split(value, ',');
  else if (key == "max-nodes")
    scope.most_nodes = TRY(number_of_limit(value));
  else if (key == "windows")
    scope.windows_per_minute = TRY(number_of_limit(value));
  else if (key == "bytes")
    scope.bytes_per_minute = TRY(parse_bytes(value));
  else
    return fail(ErrorCode::InvalidInput, "nothing is called '" + key + "' here",
                "there are services, nodes, max-nodes, windows, bytes");
  return {};
}

Result<Credential> credential_of(const std::vector<std::string>& words) {
  Credential one;
  one.is_certificate = words[0] == kCertificate;
  const std::optional<Role> role = one.is_certificate ? Role::Capture : role_named(words[0]);
  if (!role)
    return fail(ErrorCode::InvalidInput, "there is no role '" + words[0] + "'",
                "there are read, capture, join, controller, admin, and certificate");
  if (words.size() < 2) return fail(ErrorCode::InvalidInput, "no token", "write ROLE TOKEN, and what it may send");
  if (!one.is_certificate && words[1].size() < kShortestToken)
    return fail(ErrorCode::InvalidInput, "a token of less than 16 characters", "head -c 16 /dev/urandom | xxd -p makes one");
  one.role = *role;
  one.hash = one.is_certificate ? words[1] : token_hash(words[1]);
  one.scope.services.clear();
  for (size_t i = 2; i < words.size(); ++i) TRY(set(one.scope, words[i]));
  const bool sends = one.role == Role::Capture || one.role == Role::Join || one.role == Role::Controller;
  if (sends && one.scope.services.empty())
    return fail(ErrorCode::InvalidInput, "a " + words[0] + " that does not say which services it may send",
                "add services=GLOB,…; services=* is all of them");
  return one;
}

}  // namespace

Result<std::vector<Credential>> parse_token_list(const std::string& text, const std::string& path) {
  std::vector<Credential> credentials;
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::ranges::replace(line, '\t', ' ');
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::vector<std::string> words = split(line, ' ');
    if (words.empty() || words[0].starts_with('#')) continue;
    const auto one = credential_of(words);
    // Never with the line itself, which has the token in it.
    if (!one.ok())
      return fail(one.error().code, path + ":" + std::to_string(number) + ": " + one.error().message, one.error().hint);
    if (credentials.size() >= kMostLines) return fail(ErrorCode::InvalidInput, path + ": more than 1,000 tokens");
    credentials.push_back(*one);
  }
  return credentials;
}

bool TokenFiles::Seen::operator==(const Seen& other) const {
  return inode == other.inode && size == other.size && changed.tv_sec == other.changed.tv_sec &&
         changed.tv_nsec == other.changed.tv_nsec;
}

Result<> TokenFiles::add(const std::string& path, Role role) {
  TRY(token_of_file(path));
  single_[path] = role;
  return {};
}

Result<> TokenFiles::add_list(const std::string& path) {
  TRY(parse_token_list(TRY(read_secret(path, kMostListBytes)), path));
  lists_.push_back(path);
  return {};
}

Result<std::vector<Credential>> TokenFiles::read() const {
  std::vector<Credential> all;
  for (const auto& [path, role] : single_)
    all.push_back({.hash = token_hash(TRY(token_of_existing_file(path))), .role = role});
  for (const std::string& path : lists_)
    for (Credential& one : TRY(parse_token_list(TRY(read_secret(path, kMostListBytes)), path)))
      all.push_back(std::move(one));
  return all;
}

bool TokenFiles::have_changed() {
  bool changed = false;
  const auto look = [&](const std::string& path) {
    struct stat status {};
    Seen now;
    if (::stat(path.c_str(), &status) == 0) now = {status.st_ino, status.st_size, status.st_mtim};
    const auto [at, is_new] = seen_.try_emplace(path, now);
    changed |= is_new || !(at->second == now);
    at->second = now;
  };
  for (const auto& [path, role] : single_) look(path);
  for (const std::string& path : lists_) look(path);
  return changed;
}

}  // namespace atys::cli
