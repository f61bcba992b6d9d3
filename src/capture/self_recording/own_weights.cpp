// SPDX-License-Identifier: Apache-2.0
#include "capture/self_recording/own_weights.h"

#include <algorithm>

#include "profile/kinds.h"

namespace atys::capture {

using namespace profile;

namespace {

using Sums = std::map<pid_t, OwnSum>;
using Native = std::map<pid_t, int64_t>;
using Account = KindRow::Account;

int64_t signed_ns(uint64_t ns) { return static_cast<int64_t>(std::min<uint64_t>(ns, INT64_MAX)); }

Account account_for(std::string_view weight_type) {
  const KindRow* kind = find_kind_of_weight(weight_type);
  return kind == nullptr ? Account::None : kind->account;
}

std::optional<int64_t> account_of(pid_t thread, Account account, const ProcessTimes& times) {
  const auto found = times.threads.find(thread);
  if (found == times.threads.end()) return {};
  if (account == Account::CpuTime) return signed_ns(found->second.cpu_ns);
  if (account == Account::TimeThere) return signed_ns(found->second.there_ns);
  return {};
}

bool is_known(pid_t thread, const ProcessTimes& times) { return times.threads.contains(thread); }

int64_t native_of(pid_t thread, const Native& native) {
  const auto found = native.find(thread);
  return found == native.end() ? 0 : found->second;
}

std::optional<int64_t> native_of_others(const Native& native, const ProcessTimes& times) {
  int64_t sum = 0;
  for (const auto& [thread, weight] : native) sum += is_known(thread, times) ? 0 : weight;
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

// No more than `most`; whoever says more is cut, and it is told.
void bound(const Sums& sums, int64_t most, OwnWeights& weights) {
  for (const auto& [thread, sum] : sums) {
    if (thread == kUnknownThread || weights.threads.contains(thread) || sum.weight <= most) continue;
    weights.threads[thread] = most;
    weights.cut[thread] = sum.weight;
  }
}

// Threads that ended untold have left their CPU time with their process, all in one sum. Of a process that ended, too, what
// was sampled of them natively is known.
std::optional<int64_t> cpu_of_others(const ProcessTimes& times, const Native& native) {
  if (!times.cpu_ns) return native_of_others(native, times);
  uint64_t of_known = 0;
  for (const auto& [thread, time] : times.threads) of_known += time.cpu_ns;
  return signed_ns(*times.cpu_ns - std::min(*times.cpu_ns, of_known));
}

void weigh_cpu(const Sums& sums, const ProcessTimes& times, const Native& native, OwnWeights& weights) {
  for (const auto& [thread, sum] : sums)
    if (const auto account = account_of(thread, Account::CpuTime, times)) weights.threads[thread] = *account;
  weights.others = cpu_of_others(times, native);
}

// What is known of one that ended untold is what was sampled of it natively.
void weigh_wall(const Sums& sums, const ProcessTimes& times, const Native& native, OwnWeights& weights) {
  for (const auto& [thread, sum] : sums)
    if (const auto account = account_of(thread, Account::TimeThere, times))
      weights.threads[thread] = *account;
    else if (const int64_t sampled = native_of(thread, native); thread != kUnknownThread && sampled > 0)
      weights.threads[thread] = std::min(sampled, signed_ns(times.lasted_ns));
}

}  // namespace

std::optional<size_t> column_of(const Profile& profile, std::string_view type) {
  for (size_t i = 0; i < profile.value_types().size(); ++i)
    if (profile.text(profile.value_types()[i].type) == type) return i;
  return std::nullopt;
}

pid_t thread_of(const Profile& profile, LabelSetId labels) {
  for (const LabelId id : profile.label_sets[labels])
    if (const Label& label = profile.labels[id]; profile.text(label.key) == "thread.id")
      return label.number > 0 && label.number <= INT32_MAX ? static_cast<pid_t>(label.number) : kUnknownThread;
  return kUnknownThread;
}

std::map<pid_t, OwnSum> sums_by_thread(const Profile& profile, const OwnColumns& columns) {
  const auto weight = column_of(profile, columns.weight);
  const auto count = column_of(profile, columns.count);
  Sums sums;
  if (!weight) return sums;
  for (size_t i = 0; i < profile.samples.size(); ++i) {
    OwnSum& sum = sums[thread_of(profile, profile.samples.labels(i))];
    sum.samples += count ? profile.samples.value(i, *count) : 1;
    sum.weight += profile.samples.value(i, *weight);
  }
  return sums;
}

std::optional<int64_t> account_of(pid_t thread, std::string_view weight_type, const ProcessTimes& times) {
  return account_of(thread, account_for(weight_type), times);
}

OwnWeights weigh(const std::map<pid_t, OwnSum>& sums, std::string_view weight_type, const ProcessTimes& times,
                 const std::map<pid_t, int64_t>& native) {
  OwnWeights weights;
  if (!times.is_known()) {
    weights.others = native_of_others(native, times);
    return weights;
  }
  const Account account = account_for(weight_type);
  if (account == Account::CpuTime) weigh_cpu(sums, times, native, weights);
  if (account == Account::TimeThere) weigh_wall(sums, times, native, weights);
  if (account == Account::TimeSinceFirst) bound(sums, signed_ns(times.since_first_ns), weights);
  if (account == Account::CpuTime && !weights.others) bound(sums, signed_ns(times.lasted_ns), weights);
  if (account == Account::TimeThere) bound(sums, signed_ns(times.lasted_ns), weights);
  return weights;
}

}  // namespace atys::capture
