// SPDX-License-Identifier: Apache-2.0
#include "capture/native/slot_pruning.h"

#include <gtest/gtest.h>

#include "capture/native/no_source.h"
#include "capture/native/profile_builder.h"

namespace atys::capture::native {
namespace {

constexpr pid_t kPid = 0x7ffffff0;  // no process has it

// Ten busy threads, and five hundred that were seen once or twice, in one of five places.
class PrunedWindows : public testing::Test {
 protected:
  PrunedWindows() {
    for (pid_t tid = 1; tid <= 10; ++tid) sample(tid, 0x1000, 1000);
    for (pid_t tid = 11; tid <= 510; ++tid) sample(tid, 0x2000 + static_cast<uint64_t>(tid % 5), 1 + tid % 2);
  }

  void sample(pid_t tid, uint64_t address, uint64_t times) {
    const RawSample sample{.time_ns = 1, .pid = kPid, .tid = tid, .comm = "busy", .kernel_frames = {&address, 1}};
    collector_.add(collector_.on_stack(sample), times, times * 10);
  }

  Profile window(const adapt::PruningRule& rule) {
    Profile profile;
    ProfileBuilder builder(collector_, modules_);
    builder.prune_by(rule);
    builder.build({}, profile);
    return profile;
  }

  NoSource source_;
  CodeModules modules_{{}};
  StackCollector collector_{source_, modules_};
};

int64_t total(const Profile& profile, size_t column) {
  int64_t sum = 0;
  for (const int64_t value : profile.samples.values(column)) sum += value;
  return sum;
}

std::string fact(const Profile& profile, std::string_view key) {
  for (const profile::Fact& fact : profile.provenance)
    if (profile.text(fact.key) == key) return std::string(profile.text(fact.value));
  return "";
}

TEST_F(PrunedWindows, keep_what_the_dropped_threads_had_as_one_row) {
  const Profile whole = window({});
  const Profile pruned = window({adapt::PruningRule::Kind::Threads, 0.99});
  EXPECT_EQ(total(pruned, 0), total(whole, 0));
  EXPECT_EQ(total(pruned, 1), total(whole, 1));
  EXPECT_LE(pruned.samples.size() + 50, whole.samples.size());
  EXPECT_EQ(frame_name(pruned, pruned.stacks[pruned.samples.stack(pruned.samples.size() - 1)].front()), "(pruned)");
  EXPECT_LE(std::stod(fact(pruned, "pruning-error-bound")), 0.01);
}

TEST_F(PrunedWindows, let_few_stand_for_many_and_lose_no_time) {
  const Profile whole = window({});
  const Profile pruned = window({adapt::PruningRule::Kind::MaxError, 0.01});
  EXPECT_LT(pruned.samples.size(), whole.samples.size() * 6 / 10);
  EXPECT_NEAR(static_cast<double>(total(pruned, 1)), static_cast<double>(total(whole, 1)), 200);
  EXPECT_LE(std::stod(fact(pruned, "pruning-error-bound")), 0.01);
}

TEST_F(PrunedWindows, are_whole_without_a_rule) {
  EXPECT_EQ(window({}).samples.size(), 510u);
  EXPECT_EQ(fact(window({}), "pruned"), "");
}

}  // namespace
}  // namespace atys::capture::native
