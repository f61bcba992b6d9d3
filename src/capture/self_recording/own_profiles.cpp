// SPDX-License-Identifier: Apache-2.0
#include "capture/self_recording/own_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profile/import.h"
#include "profile/kinds.h"
#include "reduce/merge.h"

namespace atys::capture {

using namespace profile;

namespace {

// The labels of a sample, and whose process it is.
LabelSetId with_process(const OwnProfile& own, LabelSetId labels, Importer& importer, Profile& into) {
  const auto carried = into.label_sets[importer.labels(labels)];
  std::vector<LabelId> members(carried.begin(), carried.end());
  // A runtime may have said it, and may call itself otherwise than we do.
  std::erase_if(members, [&](LabelId id) { return into.text(into.labels[id].key) == "process.pid"; });
  members.push_back(into.int_label("process.pid", own.pid));
  return into.label_set(std::move(members));
}

// What makes the samples of a thread, or of several together, sum up to what they should.
struct Scale {
  double factor = 1;
  double carry = 0;  // what rounding left over: the sum stays exact

  int64_t apply(int64_t weight) {
    const double scaled = static_cast<double>(weight) * factor + carry;
    const int64_t whole = std::llround(scaled);
    carry = scaled - static_cast<double>(whole);
    return whole;
  }
};

double factor_of(int64_t wanted, int64_t said) {
  return said > 0 ? static_cast<double>(wanted) / static_cast<double>(said) : 1;
}

class Scales {
 public:
  Scales(const std::map<pid_t, OwnSum>& sums, const OwnWeights& weights) {
    int64_t others = 0;
    for (const auto& [thread, sum] : sums)
      if (const auto wanted = weights.threads.find(thread); wanted != weights.threads.end())
        of_thread_[thread].factor = factor_of(wanted->second, sum.weight);
      else
        others += sum.weight;
    if (weights.others) of_others_.factor = factor_of(*weights.others, others);
  }

  Scale& of(pid_t thread) {
    const auto found = of_thread_.find(thread);
    return found == of_thread_.end() ? of_others_ : found->second;
  }

 private:
  std::map<pid_t, Scale> of_thread_;
  Scale of_others_;
};

void add_samples(const OwnProfile& own, const OwnWeights& weights, const OwnColumns& columns, Profile& into) {
  const auto from = column_of(own.profile, columns.weight);
  const auto from_count = column_of(own.profile, columns.count);
  const auto to = column_of(into, columns.weight);
  const auto to_count = column_of(into, columns.count);
  if (!from || !to || !to_count || !own.has_samples(columns.weight)) return;
  const SampleTable& samples = own.profile.samples;
  Scales scales(sums_by_thread(own.profile, columns), weights);
  Importer importer(own.profile, into);
  std::vector<int64_t> values(into.value_types().size());
  const KindRow* kind = find_kind_of_weight(columns.weight);
  const bool has_waits = kind != nullptr && kind->waits;
  for (size_t i = 0; i < samples.size(); ++i) {
    const pid_t thread = thread_of(own.profile, samples.labels(i));
    if (has_waits && std::ranges::count(own.made, thread) > 0) continue;
    values[*to] = scales.of(thread).apply(samples.value(i, *from));
    values[*to_count] = from_count ? samples.value(i, *from_count) : 1;
    if (values[*to] == 0 && values[*to_count] == 0) continue;
    into.samples.add(importer.stack(samples.stack(i)), with_process(own, samples.labels(i), importer, into), values);
  }
}

void tell_cuts(const OwnProfile& own, const OwnWeights& weights, Profile& into) {
  for (const auto& [thread, said] : weights.cut)
    into.add_fact("warning", fmt::format("process {}: its runtime says {:.2f} s of thread {}, more than was recorded, and "
                                         "{:.2f} s are taken for it",
                                         own.pid, static_cast<double>(said) / 1e9, thread,
                                         static_cast<double>(weights.threads.at(thread)) / 1e9));
}

}  // namespace

bool OwnProfile::covers(pid_t of, pid_t thread) const {
  return of == pid && (threads.empty() || std::ranges::find(threads, thread) != threads.end());
}

bool OwnProfile::has_samples(std::string_view weight_type) const {
  const auto from = column_of(profile, weight_type);
  if (!from) return false;
  const auto values = profile.samples.values(*from);
  return std::ranges::any_of(values, [](int64_t value) { return value > 0; });
}

void add_own_profile(const OwnProfile& own, const OwnWeights& weights, const OwnColumns& columns, Profile& into) {
  add_samples(own, weights, columns, into);
  tell_cuts(own, weights, into);
  for (const Loss& loss : own.profile.losses) into.add_loss(own.profile.text(loss.reason), loss.count);
  for (const Fact& fact : own.profile.provenance) into.add_fact(own.profile.text(fact.key), own.profile.text(fact.value));
}

void add_own(std::vector<OwnProfile> later, std::vector<OwnProfile>& own) {
  for (OwnProfile& one : later) {
    const auto known = std::ranges::find(own, one.pid, &OwnProfile::pid);
    if (known == own.end()) {
      own.push_back(std::move(one));
      continue;
    }
    if (one.times.is_known()) known->times = std::move(one.times);
    if (!one.before.empty()) known->before = std::move(one.before);
    if (one.times_before.is_known()) known->times_before = std::move(one.times_before);
    known->made.insert(known->made.end(), one.made.begin(), one.made.end());
    // One that was not handed over says nothing of threads: native samples stand for that time.
    if (one.profile.value_types().empty() || known->profile.value_types().empty()) {
      if (known->profile.value_types().empty()) {
        std::swap(known->threads, one.threads);
        std::swap(known->profile, one.profile);
      }
      for (const Loss& loss : one.profile.losses) known->profile.add_loss(one.profile.text(loss.reason), loss.count);
      continue;
    }
    // Threads that it covers only now were sampled natively before: those it covered stay covered.
    for (const pid_t thread : one.threads)
      if (!known->threads.empty() && !known->covers(one.pid, thread)) known->threads.push_back(thread);
    if (one.threads.empty()) known->threads.clear();
    known->profile = reduce::merge(known->profile, one.profile);
  }
}

}  // namespace atys::capture
