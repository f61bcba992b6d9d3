// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/shell_command.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "base/strings.h"
#include "verbs/view/follow_up.h"

namespace atys::verbs {

namespace {

constexpr std::string_view kExec = "exec ";

bool is_program(const std::string& word) {
  if (word.empty() || word.find('=') != std::string::npos) return false;
  if (word.find('/') != std::string::npos) return ::access(word.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (::access((std::string(folder) + "/" + word).c_str(), X_OK) == 0) return true;
  }
  return false;
}

bool is_plain(const std::string& text) {
  const auto is_harmless = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:@%+=, ").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return std::ranges::all_of(text, is_harmless) && is_program(text.substr(0, text.find(' ')));
}

}  // namespace

std::vector<std::string> shell_command(const std::string& text) {
  return {"/bin/sh", "-c", is_plain(text) ? std::string(kExec) + text : text};
}

std::string text_of_command(const std::vector<std::string>& command) {
  if (command.size() == 3 && command[0] == "/bin/sh" && command[1] == "-c")
    return command[2].starts_with(kExec) ? command[2].substr(kExec.size()) : command[2];
  return joined(command, " ", quote_for_shell);
}

}  // namespace atys::verbs
