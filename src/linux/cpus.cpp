// SPDX-License-Identifier: Apache-2.0
#include "linux/cpus.h"

#include <charconv>

#include "linux/proc_file.h"

namespace atys::linux {

namespace {
constexpr int kMostCpus = 65536;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc{}) break;
    int last = first;
    if (parsed.ptr < end && *parsed.ptr == '-') parsed = std::from_chars(parsed.ptr + 1, end, last);
    for (int cpu = first; cpu <= last && cpu < kMostCpus; ++cpu) cpus.push_back(cpu);
    at = parsed.ptr;
    if (at >= end || *at != ',') break;
    ++at;
  }
  return cpus;
}

std::vector<int> online_cpus() {
  const auto text = read_proc_file("/sys/devices/system/cpu/online", 65536);
  auto cpus = text.ok() ? parse_cpu_list(*text) : std::vector<int>{};
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

}  // namespace atys::linux
