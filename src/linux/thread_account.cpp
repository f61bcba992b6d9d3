// SPDX-License-Identifier: Apache-2.0
#include "linux/thread_account.h"

#include <fmt/format.h>
#include <unistd.h>

#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::linux {

namespace {

Result<std::string> read_file(pid_t pid, pid_t tid, std::string_view name) {
  return read_proc_file(fmt::format("/proc/{}/task/{}/{}", pid, tid, name), 4096);
}

uint64_t ticks_to_ns(uint64_t ticks) {
  static const auto per_second = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  return ticks * (1'000'000'000 / per_second);
}

}  // namespace

std::optional<uint64_t> parse_schedstat(std::string_view text) {
  const auto words = words_of(text);
  const auto ran_ns = words.size() < 3 ? std::nullopt : parse_number<uint64_t>(words[0]);
  // A kernel without these figures says "0 0 0" of every thread, also of one that has run.
  return ran_ns == 0U ? std::nullopt : ran_ns;
}

Result<uint64_t> thread_cpu_ns(pid_t pid, pid_t tid) {
  if (const auto text = read_file(pid, tid, "schedstat"); text.ok())
    if (const auto ran_ns = parse_schedstat(*text)) return *ran_ns;
  return ticks_to_ns(TRY(parse_stat(TRY(read_file(pid, tid, "stat")))).cpu_ticks);
}

Result<uint64_t> thread_began_boot_ns(pid_t pid, pid_t tid) {
  return ticks_to_ns(TRY(parse_stat(TRY(read_file(pid, tid, "stat")))).start_time_ticks);
}

}  // namespace atys::linux
