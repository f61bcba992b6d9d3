// SPDX-License-Identifier: Apache-2.0
// Each worker merges a stretch of the profiles into a sum of its own, and the sums are merged at the end: merge is
// associative, so where the stretches begin does not matter. They are the same each time, and so is what comes out, to the
// order of its tables: the id of a merged profile is made from its bytes.
#include "verbs/merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

#include "base/guarded.h"
#include "reduce/merge.h"
#include "verbs/profiles/profile_reference.h"

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

struct Stretch {
  size_t begin = 0;
  size_t end = 0;
};

void read_and_merge(const MergeRequest& request, Stretch mine, Guarded<Progress>& progress, reduce::Merger& sum) {
  for (size_t i = mine.begin; i < mine.end; ++i) {
    auto loaded = load_profile(request.profiles[i]);
    if (loaded.ok()) sum.add(loaded->profile);
    const auto locked = progress.lock();
    if (!loaded.ok() && !locked->error) locked->error = loaded.error();
    if (locked->error) return;
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
  const auto stretch = [&](size_t i) {
    return Stretch{request.profiles.size() * i / workers, request.profiles.size() * (i + 1) / workers};
  };
  Guarded<Progress> progress;
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < workers; ++i) {
      threads.emplace_back([&, i] { read_and_merge(request, stretch(i), progress, sums[i]); });
    }
    read_and_merge(request, stretch(0), progress, sums[0]);
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
