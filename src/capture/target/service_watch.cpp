// SPDX-License-Identifier: Apache-2.0
#include "capture/target/service_watch.h"

#include <unistd.h>

#include <algorithm>

namespace atys::capture {

namespace {

constexpr uint64_t kSoonest = 400'000'000;     // ns: looks are half a second apart
constexpr uint64_t kLatest = 300'000'000'000;  // a pid that was reused, or an exec() that nobody expected
constexpr uint64_t kPartOfAge = 4;
constexpr size_t kFewFound = 8;

uint64_t began_at_ns(const linux::ProcessInfo& process) {
  static const auto ticks = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  return process.start_time_ticks * (1'000'000'000 / ticks);
}

}  // namespace

uint64_t ServiceWatch::judged_again_ns(uint64_t began_ns, uint64_t judged_ns) {
  const uint64_t age = judged_ns > began_ns ? judged_ns - began_ns : 0;
  return judged_ns + std::clamp(age / kPartOfAge, kSoonest, kLatest);
}

uint64_t ServiceWatch::judged_again_ns(const linux::ProcessInfo& process, uint64_t judged_ns) {
  return judged_again_ns(began_at_ns(process), judged_ns);
}

// Nobody came, and of those found nobody went.
bool ServiceWatch::are_the_same() const {
  if (newest_ == 0 || found_.size() > kFewFound) return false;
  return linux::newest_number() == newest_ &&
         std::ranges::all_of(found_, [this](pid_t pid) { return linux::is_alive(pid, judged_.at(pid).start_time_ticks); });
}

// To list all processes costs as much as to judge several.
std::vector<pid_t> ServiceWatch::look(uint64_t now_ns) {
  const bool are_known = are_the_same();
  if (are_known && now_ns < next_judgement_ns_) return found_;
  if (!rule_.ports().empty()) facts_.reset();  // what listens where is read anew each time
  if (!are_known) newest_ = linux::newest_number();
  next_judgement_ns_ = UINT64_MAX;
  std::map<pid_t, Judged> still_there;
  std::vector<pid_t> found;
  for (const pid_t pid : are_known ? known_processes() : linux::list_processes()) {
    const auto known = judged_.find(pid);
    Judged judged = known == judged_.end() ? Judged{} : known->second;
    if (known == judged_.end() || now_ns >= judged_again_ns(judged.began_ns, judged.judged_ns)) {
      const auto process = linux::read_process(pid);
      if (!process.ok() || process->state == 'Z') continue;  // ended meanwhile
      if (!facts_) facts_ = live_facts(rule_);
      judged = {process->start_time_ticks, began_at_ns(*process), now_ns, matches(rule_, *process, *facts_)};
    }
    if (judged.belongs) found.push_back(pid);
    next_judgement_ns_ = std::min(next_judgement_ns_, judged_again_ns(judged.began_ns, judged.judged_ns));
    still_there.emplace_hint(still_there.end(), pid, judged);
  }
  judged_ = std::move(still_there);
  found_ = found;
  return found;
}

std::vector<pid_t> ServiceWatch::known_processes() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, judged] : judged_) pids.push_back(pid);
  return pids;
}

}  // namespace atys::capture
