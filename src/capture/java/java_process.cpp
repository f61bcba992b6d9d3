// SPDX-License-Identifier: Apache-2.0
#include "capture/java/java_process.h"

#include <algorithm>
#include <array>

#include "capture/java/vm_flags.h"
#include "linux/proc_text.h"

namespace atys::capture::java {

namespace {

constexpr std::array kFlags = {kDisableAttach, kFramePointers, kDynamicAgents, kExactPlaces, kReducedSignals};

// What java itself reads besides its command line.
constexpr std::array kVariables = {std::string_view("JAVA_TOOL_OPTIONS="), std::string_view("JDK_JAVA_OPTIONS="),
                                   std::string_view("_JAVA_OPTIONS=")};

std::map<std::string, bool> flags_given(const linux::ProcessInfo& info) {
  std::vector<std::string> words = info.command_line;
  if (const auto environment = linux::read_environment(info.pid); environment.ok()) {
    for (const std::string& one : *environment)
      for (const std::string_view variable : kVariables)
        if (one.starts_with(variable))
          for (const std::string_view word : linux::words_of(std::string_view(one).substr(variable.size())))
            words.emplace_back(word);
  }
  return flags_in(words);
}

}  // namespace

int release_of(std::string_view version) {
  if (version.starts_with("1.")) version.remove_prefix(2);
  const size_t end = std::min(version.find_first_not_of("0123456789"), version.size());
  return linux::parse_number<int>(version.substr(0, end)).value_or(0);
}

std::map<std::string, bool> flags_in(const std::vector<std::string>& words) {
  std::map<std::string, bool> flags;
  for (const std::string_view word : words) {
    if (word == "-Xrs") flags[std::string(kReducedSignals)] = true;
    if (!word.starts_with("-XX:") || word.size() < 6) continue;
    const std::string_view name = word.substr(5);
    if (std::ranges::find(kFlags, name) != kFlags.end()) flags[std::string(name)] = word[4] == '+';
  }
  return flags;
}

int JavaProcess::release() const { return release_of(version); }

bool JavaProcess::has(std::string_view flag, bool otherwise) const {
  const auto found = flags.find(std::string(flag));
  return found == flags.end() ? otherwise : found->second;
}

Result<JavaProcess> look_at_java(pid_t pid, const DetectedRuntime& runtime) {
  JavaProcess process{.info = TRY(linux::read_process(pid)),
                      .foreign = linux::foreign_namespaces(pid),
                      .version = runtime.version,
                      .flags = {}};
  auto flags = read_vm_flags(pid, runtime.path, {kFlags.begin(), kFlags.end()});
  process.flags = flags.ok() ? flags.take() : flags_given(process.info);
  return process;
}

}  // namespace atys::capture::java
