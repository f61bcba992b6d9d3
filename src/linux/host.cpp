// SPDX-License-Identifier: Apache-2.0
#include "linux/host.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/hex.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"

namespace atys::linux {

namespace {

constexpr int kMostCpus = 65536;

}  // namespace

Result<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const Error bad = fail(ErrorCode::InvalidInput, "not a list of CPUs: '" + std::string(text.substr(0, 80)) + "'");
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const size_t dash = range.find('-');
    const auto first = parse_number<int>(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number<int>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostCpus) return bad;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    if (cpus.size() > kMostCpus) return bad;
  }
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<int> online_cpus() {
  if (const auto text = read_proc_file("/sys/devices/system/cpu/online"); text.ok())
    if (auto cpus = parse_cpu_list(*text); cpus.ok() && !cpus->empty()) return cpus.take();
  std::vector<int> cpus;
  for (int cpu = 0; cpu < std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)); ++cpu) cpus.push_back(cpu);
  return cpus;
}

size_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return online_cpus().size();
  return static_cast<size_t>(std::max(1, CPU_COUNT(&set)));
}

// The coarse clocks move with the tick.
uint64_t tick_ns() {
  timespec resolution{};
  if (::clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0 || resolution.tv_sec != 0) return 0;
  return static_cast<uint64_t>(resolution.tv_nsec);
}

Result<Host> read_host() {
  utsname names{};
  if (::uname(&names) != 0) return fail_errno("uname");
  Host host{names.nodename, names.release, {}, names.machine, online_cpus()};
  if (const auto id = read_proc_file("/proc/sys/kernel/random/boot_id"); id.ok())
    host.boot_id = id->substr(0, id->find('\n'));
  return host;
}

std::string boot_digits() {
  std::string digits;
  if (const auto id = read_proc_file("/proc/sys/kernel/random/boot_id", 64); id.ok())
    std::ranges::copy_if(*id, std::back_inserter(digits), is_hex_digit);
  return digits;
}

}  // namespace atys::linux
