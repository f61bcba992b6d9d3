// SPDX-License-Identifier: Apache-2.0
#include "cli/listening.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "base/descriptor_io.h"
#include "base/token.h"
#include "base/unique_fd.h"

namespace atys::cli {

namespace {

constexpr size_t kShortestToken = 16;
constexpr size_t kLongestToken = 1000;

Result<std::string> token_of_new_file(const std::string& path) {
  std::string token = TRY(random_token());
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open() || !write_all(file.get(), token + "\n")) return fail_errno("write " + path);
  return token;
}

}  // namespace

bool is_loopback(const std::string& address) {
  in_addr numbers{};  // "127.evil.example" begins like one, and is a name
  const bool is_number = ::inet_pton(AF_INET, address.c_str(), &numbers) == 1;
  return (is_number && address.starts_with("127.")) || address == "::1" || address == "localhost";
}

Result<std::pair<std::string, int>> parse_address(const std::string& text) {
  const size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string digits = colon == std::string::npos ? text : text.substr(colon + 1);
  int port = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port < 0 || port > 65535)
    return fail(ErrorCode::InvalidInput, "bad address '" + text + "'", "write 127.0.0.1:PORT; port 0 is any that is free");
  return std::pair(host.empty() ? std::string("127.0.0.1") : host, port);
}

Result<std::string> token_of_file(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open() && errno == ENOENT) return token_of_new_file(path);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return fail_errno("read " + path);
  if (!S_ISREG(status.st_mode) || (status.st_mode & 077) != 0)
    return fail(ErrorCode::PermissionDenied, path + " can be read by others", "chmod 600 " + path);
  std::array<char, kLongestToken + 1> bytes{};
  std::string_view token(bytes.data(), read_all(file.get(), bytes).value_or(0));
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) token.remove_suffix(1);
  if (token.size() < kShortestToken || token.size() > kLongestToken)
    return fail(ErrorCode::InvalidInput, "the token in " + path + " is too short or too long",
                "remove the file, and one is made");
  return std::string(token);
}

Result<std::string> token_of_existing_file(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return fail_errno("read " + path);
  return token_of_file(path);
}

}  // namespace atys::cli
