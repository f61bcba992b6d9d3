// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_turns.h"

#include <fmt/format.h>

#include "linux/proc_file.h"
#include "linux/proc_folder.h"
#include "linux/proc_text.h"

namespace atys::linux {

std::optional<uint64_t> parse_switches(std::string_view status) {
  const auto willing = parse_number<uint64_t>(value_of(status, "voluntary_ctxt_switches"));
  const auto unwilling = parse_number<uint64_t>(value_of(status, "nonvoluntary_ctxt_switches"));
  if (!willing || !unwilling) return std::nullopt;
  return *willing + *unwilling;
}

std::optional<int> parse_last_cpu(std::string_view stat) {
  constexpr size_t kField = 39 - 3;  // of those behind the name
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const auto words = words_of(stat.substr(name_end + 1));
  return words.size() > kField ? parse_number<int>(words[kField]) : std::nullopt;
}

std::optional<uint64_t> switches_of(pid_t pid, pid_t tid) {
  const auto status = read_proc_file(fmt::format("{}/{}/task/{}/status", proc_folder(), pid, tid));
  return status.ok() ? parse_switches(*status) : std::nullopt;
}

int last_cpu(pid_t pid, pid_t tid) {
  const auto stat = read_proc_file(fmt::format("{}/{}/task/{}/stat", proc_folder(), pid, tid));
  return stat.ok() ? parse_last_cpu(*stat).value_or(-1) : -1;
}

}  // namespace atys::linux
