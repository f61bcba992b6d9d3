// SPDX-License-Identifier: Apache-2.0
#include "capture/self_recording/own_profiles.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace atys::capture {
namespace {

using namespace profile;

// Samples of a runtime: each of its own function, on a thread of a name.
OwnProfile recorded(const std::vector<std::pair<int64_t, int64_t>>& count_and_weight) {
  OwnProfile own{.pid = 42};
  own.profile.add_value_type("samples", "count");
  own.profile.add_value_type("cpu", "nanoseconds");
  for (size_t i = 0; i < count_and_weight.size(); ++i) {
    const FrameId frame = own.profile.named_frame("f" + std::to_string(i), "app.js", 7, "js");
    const LabelSetId labels = own.profile.label_set({own.profile.string_label("thread.name", "worker")});
    own.profile.samples.add(own.profile.stacks.intern(std::vector<FrameId>{frame}), labels,
                            std::vector<int64_t>{count_and_weight[i].first, count_and_weight[i].second});
  }
  return own;
}

Profile capture_profile() {
  Profile into;
  into.add_value_type("samples", "count");
  into.add_value_type("cpu", "nanoseconds");
  return into;
}

// The weight of all threads together.
OwnWeights weighing(int64_t weight) { return {.threads = {}, .others = weight, .cut = {}}; }

int64_t sum(const Profile& profile, size_t column) {
  int64_t total = 0;
  for (const int64_t value : profile.samples.values(column)) total += value;
  return total;
}

TEST(own_profiles, have_the_weight_that_they_are_given) {
  const OwnProfile own = recorded({{1, 10}, {3, 30}, {6, 60}});
  Profile into = capture_profile();
  add_own_profile(own, weighing(1'000'000), {"samples", "cpu"}, into);
  ASSERT_EQ(into.samples.size(), 3U);
  EXPECT_EQ(into.samples.value(0, 1), 100'000);
  EXPECT_EQ(into.samples.value(1, 1), 300'000);
  EXPECT_EQ(into.samples.value(2, 1), 600'000);
  EXPECT_EQ(sum(into, 0), 10) << "how many samples there were is not scaled";
}

TEST(own_profiles, sum_up_to_that_weight_however_it_is_rounded) {
  for (const int64_t weight :
       {int64_t{1}, int64_t{7}, int64_t{1000}, int64_t{999'999'999'989}, int64_t{86'400} * 1'000'000'000}) {
    std::vector<std::pair<int64_t, int64_t>> samples;
    for (int64_t i = 0; i < 3000; ++i) samples.emplace_back(1, 1 + i * 7919 % 1013);
    Profile into = capture_profile();
    add_own_profile(recorded(samples), weighing(weight), {"samples", "cpu"}, into);
    EXPECT_EQ(sum(into, 1), weight);
    EXPECT_EQ(sum(into, 0), 3000);
    for (const int64_t value : into.samples.values(1)) EXPECT_GE(value, 0);
  }
}

TEST(own_profiles, keep_their_own_weight_where_none_is_given) {
  Profile into = capture_profile();
  add_own_profile(recorded({{1, 10}, {1, 30}}), {}, {"samples", "cpu"}, into);
  EXPECT_EQ(sum(into, 1), 40);
}

TEST(own_profiles, are_added_to_what_is_there_under_their_process) {
  Profile into = capture_profile();
  into.add_value_type("other", "count");
  const FrameId native = into.named_frame("main");
  into.samples.add(into.stacks.intern(std::vector<FrameId>{native}), LabelSetId{}, std::vector<int64_t>{5, 500, 1});
  OwnProfile own = recorded({{2, 10}});
  own.profile.add_loss("stacks cut", 3);
  own.profile.add_fact("runtime", "node 20");
  add_own_profile(own, weighing(100), {"samples", "cpu"}, into);
  ASSERT_EQ(into.samples.size(), 2U);
  EXPECT_EQ(sum(into, 1), 600);
  EXPECT_EQ(into.samples.value(1, 2), 0) << "of other types it has none";
  std::string labels;
  for (const LabelId id : into.label_sets[into.samples.labels(1)]) labels += into.text(into.labels[id].key), labels += ' ';
  EXPECT_EQ(labels, "process.pid thread.name ");
  EXPECT_EQ(frame_name(into, into.stacks[into.samples.stack(1)][0]), "f0");
  ASSERT_EQ(into.losses.size(), 1U);
  EXPECT_EQ(into.text(into.losses[0].reason), "stacks cut");
  EXPECT_EQ(into.losses[0].count, 3U);
  ASSERT_EQ(into.provenance.size(), 1U);
  EXPECT_EQ(into.text(into.provenance[0].value), "node 20");
}

TEST(own_profiles, count_each_sample_once_where_the_runtime_does_not_count) {
  OwnProfile own{.pid = 42};
  own.profile.add_value_type("cpu", "nanoseconds");
  own.profile.samples.add(own.profile.stacks.intern(std::vector<FrameId>{own.profile.named_frame("f")}), LabelSetId{},
                          std::vector<int64_t>{10});
  Profile into = capture_profile();
  add_own_profile(own, weighing(100), {"samples", "cpu"}, into);
  EXPECT_EQ(sum(into, 0), 1);
  EXPECT_EQ(sum(into, 1), 100);
}

// The same of several threads, each of its own function.
OwnProfile recorded_of(const std::vector<std::pair<pid_t, int64_t>>& thread_and_weight) {
  OwnProfile own{.pid = 42};
  own.profile.add_value_type("samples", "count");
  own.profile.add_value_type("cpu", "nanoseconds");
  for (const auto& [thread, weight] : thread_and_weight) {
    const FrameId frame = own.profile.named_frame("f" + std::to_string(thread));
    const LabelSetId labels = own.profile.label_set({own.profile.int_label("thread.id", thread)});
    own.profile.samples.add(own.profile.stacks.intern(std::vector<FrameId>{frame}), labels, std::vector<int64_t>{1, weight});
  }
  return own;
}

TEST(own_profiles, have_of_each_thread_the_weight_that_it_is_given_and_of_all_others_theirs) {
  const OwnProfile own = recorded_of({{7, 10}, {7, 30}, {8, 40}, {9, 1}, {10, 3}});
  Profile into = capture_profile();
  add_own_profile(own, {.threads = {{7, 1001}, {8, 0}}, .others = 100, .cut = {}}, {"samples", "cpu"}, into);
  std::map<pid_t, int64_t> sums;
  for (size_t i = 0; i < into.samples.size(); ++i) sums[thread_of(into, into.samples.labels(i))] += into.samples.value(i, 1);
  EXPECT_EQ(sums, (std::map<pid_t, int64_t>{{7, 1001}, {8, 0}, {9, 25}, {10, 75}}));
  EXPECT_EQ(sum(into, 0), 5) << "a sample of a thread that has no time in this window is still one that was taken";
}

TEST(own_profiles, are_labelled_with_their_process_once) {
  OwnProfile own = recorded_of({{7, 10}});
  own.profile.samples.set_labels(0, own.profile.label_set({own.profile.int_label("process.pid", 42)}));
  Profile into = capture_profile();
  add_own_profile(own, {}, {"samples", "cpu"}, into);
  EXPECT_EQ(into.label_sets[into.samples.labels(0)].size(), 1U);
}

TEST(own_profiles, say_where_more_was_said_than_can_be) {
  Profile into = capture_profile();
  add_own_profile(recorded_of({{7, 5'000'000'000}}),
                  {.threads = {{7, 4'000'000'000}}, .others = {}, .cut = {{7, 5'000'000'000}}}, {"samples", "cpu"}, into);
  EXPECT_EQ(sum(into, 1), 4'000'000'000);
  ASSERT_EQ(into.provenance.size(), 1U);
  EXPECT_EQ(into.text(into.provenance[0].value),
            "process 42: its runtime says 5.00 s of thread 7, more than was recorded, and 4.00 s are taken for it");
}

TEST(own_profiles, without_weight_add_nothing) {
  Profile into = capture_profile();
  add_own_profile(recorded({{1, 0}, {1, 0}}), weighing(100), {"samples", "cpu"}, into);
  add_own_profile(recorded({}), weighing(100), {"samples", "cpu"}, into);
  add_own_profile(recorded({{1, 10}}), weighing(100), {"samples", "alloc"}, into);
  EXPECT_EQ(into.samples.size(), 0U);
  EXPECT_FALSE(recorded({{1, 0}}).has_samples("cpu"));
  EXPECT_FALSE(recorded({{1, 5}}).has_samples("alloc"));
  EXPECT_TRUE(recorded({{1, 0}, {1, 5}}).has_samples("cpu"));
}

TEST(own_profiles, without_samples_still_tell_what_was_lost) {
  OwnProfile own = recorded({});
  own.profile.add_loss("java: the process was killed", 1);
  Profile into = capture_profile();
  add_own_profile(own, weighing(100), {"samples", "cpu"}, into);
  ASSERT_EQ(into.losses.size(), 1U);
  EXPECT_EQ(into.text(into.losses[0].reason), "java: the process was killed");
  add_own_profile(OwnProfile{.pid = 42}, weighing(100), {"samples", "cpu"}, into);
  EXPECT_EQ(into.losses.size(), 1U);
  EXPECT_EQ(into.samples.size(), 0U);
}

TEST(own_profiles, cover_their_threads_or_the_whole_process) {
  OwnProfile own{.pid = 42};
  EXPECT_TRUE(own.covers(42, 42));
  EXPECT_TRUE(own.covers(42, 99));
  EXPECT_FALSE(own.covers(43, 42));
  own.threads = {50, 51};
  EXPECT_TRUE(own.covers(42, 51));
  EXPECT_FALSE(own.covers(42, 42));
}

TEST(own_profiles, of_one_process_add_up_and_those_of_another_stay_apart) {
  std::vector<OwnProfile> own;
  add_own({recorded({{1, 10}})}, own);
  std::vector<OwnProfile> later{recorded({{2, 20}, {1, 5}}), recorded({{9, 90}})};
  later[1].pid = 43;
  add_own(std::move(later), own);
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(sum(own[0].profile, 1), 35);
  EXPECT_EQ(sum(own[1].profile, 1), 90);
}

TEST(own_profiles, cover_each_thread_that_one_of_them_covered) {
  OwnProfile first = recorded({{1, 10}});
  first.threads = {1};
  OwnProfile second = recorded({{1, 10}});
  second.threads = {2};
  std::vector<OwnProfile> own;
  add_own({first}, own);
  add_own({second}, own);
  EXPECT_TRUE(own.at(0).covers(42, 1) && own[0].covers(42, 2) && !own[0].covers(42, 3));
  add_own({recorded({{1, 10}})}, own);
  EXPECT_TRUE(own[0].covers(42, 3)) << "no list of threads stands for all";
}

TEST(own_profiles, have_the_account_of_all_the_time_that_they_stand_for) {
  OwnProfile first = recorded({{1, 10}});
  first.times.lasted_ns = 10;
  first.before[3] = {1, 100};
  OwnProfile second = recorded({{1, 10}});
  second.times.lasted_ns = 20;
  std::vector<OwnProfile> own;
  add_own({first}, own);
  add_own({second}, own);
  EXPECT_EQ(own.at(0).times.lasted_ns, 20U);
  EXPECT_EQ(own[0].before.at(3).weight, 100U);
  OwnProfile last{.pid = 42};
  last.times.lasted_ns = 30;
  last.profile.add_loss("recordings that a runtime did not hand over", 1);
  add_own({last}, own);
  EXPECT_EQ(own[0].times.lasted_ns, 30U);
  EXPECT_EQ(sum(own[0].profile, 1), 20);
  ASSERT_EQ(own[0].profile.losses.size(), 1U) << "what came before is stretched over it, and that is told";
}

TEST(own_profiles, that_were_not_handed_over_cover_no_thread_more) {
  OwnProfile good = recorded({{1, 10}});
  good.threads = {1};
  for (const bool failed_first : {true, false}) {
    std::vector<OwnProfile> own;
    add_own({failed_first ? OwnProfile{.pid = 42} : good}, own);
    add_own({failed_first ? good : OwnProfile{.pid = 42}}, own);
    ASSERT_EQ(own.size(), 1U);
    EXPECT_TRUE(own[0].covers(42, 1) && !own[0].covers(42, 2)) << failed_first;
    EXPECT_EQ(sum(own[0].profile, 1), 10);
  }
}

}  // namespace
}  // namespace atys::capture
