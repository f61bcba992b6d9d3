// SPDX-License-Identifier: Apache-2.0
#include "capture/node/inspector_options.h"

#include <optional>

#include "linux/proc_text.h"

namespace atys::capture::node {

namespace {

// "9230", "127.0.0.1:9230", "[::1]:9230"; a host alone says nothing about the port.
std::optional<uint16_t> port_in(std::string_view text) {
  const size_t colon = text.rfind(':');
  return linux::parse_number<uint16_t>(colon == std::string_view::npos ? text : text.substr(colon + 1));
}

void apply(std::string_view option, std::string_view next, InspectorOptions& options) {
  const size_t equals = option.find('=');
  std::string name(option.substr(0, equals));
  const std::string_view value = equals == std::string_view::npos ? std::string_view{} : option.substr(equals + 1);
  for (char& c : name)
    if (c == '_') c = '-';  // node takes both
  if (name == "--disable-sigusr1") options.has_signal_off = true;
  if (name.starts_with("--perf-basic-prof")) options.writes_perf_map = true;
  if (name == "--inspect" || name == "--inspect-brk" || name == "--inspect-wait") {
    options.is_open = true;
    options.port = port_in(value).value_or(options.port);
  }
  if (name == "--inspect-port" || name == "--debug-port")
    options.port = port_in(equals == std::string_view::npos ? next : value).value_or(options.port);
}

}  // namespace

InspectorOptions parse_inspector_options(const std::vector<std::string>& command_line,
                                         const std::vector<std::string>& environment) {
  constexpr std::string_view kVariable = "NODE_OPTIONS=";
  InspectorOptions options;
  for (const std::string& variable : environment) {
    if (!variable.starts_with(kVariable)) continue;
    const auto words = linux::words_of(std::string_view(variable).substr(kVariable.size()));
    for (size_t i = 0; i < words.size(); ++i) apply(words[i], i + 1 < words.size() ? words[i + 1] : "", options);
  }
  // The script and what comes after it is not node's.
  for (size_t i = 1; i < command_line.size() && command_line[i].starts_with('-'); ++i) {
    const std::string_view next = i + 1 < command_line.size() ? std::string_view(command_line[i + 1]) : std::string_view{};
    apply(command_line[i], next, options);
    // Options whose value is a word of its own; without knowing them the script could not be told from a value.
    if (command_line[i] == "--inspect-port" || command_line[i] == "--debug-port" || command_line[i] == "-r" ||
        command_line[i] == "--require" || command_line[i] == "--import" || command_line[i] == "--env-file")
      ++i;
  }
  return options;
}

}  // namespace atys::capture::node
