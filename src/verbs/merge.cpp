// SPDX-License-Identifier: Apache-2.0
// Each worker merges the profiles that it reads into a sum of its own, and the sums are merged at the end: merge is
// associative and commutative, so who reads what does not matter.
#include "verbs/merge.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <thread>

#include "base/guarded.h"
#include "reduce/merge.h"
#include "verbs/profile_reference.h"

namespace atys::verbs {

namespace {

struct Progress {
  size_t done = 0;
  std::optional<Error> error;
  std::map<std::string, size_t> value_types;  // "type/unit" → profiles that have it
};

void count_value_types(const Profile& profile, Progress& progress) {
  for (const auto& type : profile.value_types()) {
    ++progress.value_types[std::string(profile.text(type.type)) + "/" + std::string(profile.text(type.unit))];
  }
}

void read_and_merge(const MergeRequest& request, std::atomic<size_t>& next, Guarded<Progress>& progress,
                    reduce::Merger& sum) {
  for (;;) {
    const size_t mine = next.fetch_add(1);
    if (mine >= request.profiles.size()) return;
    auto loaded = load_profile(request.profiles[mine]);
    if (loaded.ok()) sum.add(loaded->profile);
    const auto locked = progress.lock();
    if (!loaded.ok()) {
      if (!locked->error) locked->error = loaded.error();
      next = request.profiles.size();
      return;
    }
    count_value_types(loaded->profile, *locked);
    if (request.on_progress) request.on_progress(++locked->done, request.profiles.size());
  }
}

}  // namespace

Result<MergeAnswer> merge(const MergeRequest& request) {
  if (request.profiles.empty()) return fail(ErrorCode::InvalidInput, "nothing to merge", "name at least one profile");
  TRY(choose_format(request.output));
  const size_t workers = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, request.profiles.size());
  std::vector<reduce::Merger> sums(workers);
  std::atomic<size_t> next = 0;
  Guarded<Progress> progress;
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < workers; ++i) {
      threads.emplace_back([&, i] { read_and_merge(request, next, progress, sums[i]); });
    }
    read_and_merge(request, next, progress, sums[0]);
  }
  const auto done = progress.lock();
  if (done->error) return *done->error;

  for (size_t i = 1; i < workers; ++i) sums[0].add(sums[i].finish());
  MergeAnswer answer{TRY(write_output(sums[0].finish(), request.output)), request.profiles.size(), {}};
  for (const auto& [type, count] : done->value_types) {
    if (count < request.profiles.size()) answer.mixed_value_types.push_back(type);
  }
  return answer;
}

}  // namespace atys::verbs
