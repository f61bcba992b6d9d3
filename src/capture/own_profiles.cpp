// SPDX-License-Identifier: Apache-2.0
#include "capture/own_profiles.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "profile/import.h"
#include "reduce/merge.h"

namespace atys::capture {

using namespace profile;

namespace {

std::optional<size_t> column(const Profile& profile, std::string_view type) {
  for (size_t i = 0; i < profile.value_types().size(); ++i)
    if (profile.text(profile.value_types()[i].type) == type) return i;
  return std::nullopt;
}

// The labels of a sample, and whose process it is.
LabelSetId with_process(const OwnProfile& own, LabelSetId labels, Importer& importer, Profile& into) {
  const auto carried = into.label_sets[importer.labels(labels)];
  std::vector<LabelId> members(carried.begin(), carried.end());
  members.push_back(into.int_label("process.pid", own.pid));
  return into.label_set(std::move(members));
}

void add_samples(const OwnProfile& own, int64_t native_weight, const OwnColumns& columns, Profile& into) {
  const auto from = column(own.profile, columns.weight);
  const auto from_count = column(own.profile, columns.count);
  const auto to = column(into, columns.weight);
  const auto to_count = column(into, columns.count);
  if (!from || !to || !to_count) return;
  const SampleTable& samples = own.profile.samples;
  double sum = 0;
  for (size_t i = 0; i < samples.size(); ++i) sum += static_cast<double>(samples.value(i, *from));
  if (sum <= 0) return;
  const double scale = native_weight > 0 ? static_cast<double>(native_weight) / sum : 1;
  Importer importer(own.profile, into);
  std::vector<int64_t> values(into.value_types().size());
  double carry = 0;  // what rounding left over: the sum stays exact
  for (size_t i = 0; i < samples.size(); ++i) {
    const double scaled = static_cast<double>(samples.value(i, *from)) * scale + carry;
    values[*to] = std::llround(scaled);
    carry = scaled - static_cast<double>(values[*to]);
    values[*to_count] = from_count ? samples.value(i, *from_count) : 1;
    if (values[*to] == 0 && values[*to_count] == 0) continue;
    into.samples.add(importer.stack(samples.stack(i)), with_process(own, samples.labels(i), importer, into), values);
  }
}

}  // namespace

bool OwnProfile::covers(pid_t of, pid_t thread) const {
  return of == pid && (threads.empty() || std::ranges::find(threads, thread) != threads.end());
}

bool OwnProfile::has_samples(std::string_view weight_type) const {
  const auto from = column(profile, weight_type);
  if (!from) return false;
  const auto values = profile.samples.values(*from);
  return std::ranges::any_of(values, [](int64_t value) { return value > 0; });
}

void add_own_profile(const OwnProfile& own, int64_t native_weight, const OwnColumns& columns, Profile& into) {
  add_samples(own, native_weight, columns, into);
  for (const Loss& loss : own.profile.losses) into.add_loss(own.profile.text(loss.reason), loss.count);
  for (const Fact& fact : own.profile.provenance) into.add_fact(own.profile.text(fact.key), own.profile.text(fact.value));
}

void add_own(std::vector<OwnProfile> later, std::vector<OwnProfile>& own) {
  for (OwnProfile& one : later) {
    const auto before = std::ranges::find(own, one.pid, &OwnProfile::pid);
    if (before == own.end()) {
      own.push_back(std::move(one));
      continue;
    }
    // One that was not handed over says nothing of threads: native samples stand for that time.
    if (one.profile.value_types().empty()) continue;
    if (before->profile.value_types().empty()) {
      *before = std::move(one);
      continue;
    }
    // Threads that it covers only now were sampled natively before: those it covered stay covered.
    for (const pid_t thread : one.threads)
      if (!before->threads.empty() && !before->covers(one.pid, thread)) before->threads.push_back(thread);
    if (one.threads.empty()) before->threads.clear();
    before->profile = reduce::merge(before->profile, one.profile);
  }
}

}  // namespace atys::capture
