// SPDX-License-Identifier: Apache-2.0
#include "capture/java/async_profiler.h"

#include <algorithm>
#include <set>

#include "support/sampled_java.h"

namespace atys::capture::java {
namespace {

using test::JavaProgram;
using test::look_into;
using test::Seen;

TEST(async_profiler, understands_answers_of_all_releases) {
  EXPECT_TRUE(check_load({0, "return code: 0\n"}).ok());
  EXPECT_TRUE(check_load({0, "0\n"}).ok());
  EXPECT_FALSE(check_load({0, "return code: 200\n"}).ok());
  EXPECT_FALSE(check_load({0, "/x.so was not loaded.\n"}).ok());
  EXPECT_FALSE(check_load({-1, "/x.so was not loaded.\n"}).ok());
  EXPECT_FALSE(check_load({101, ""}).ok());
}

TEST(async_profiler, records_kinds_at_the_rate_that_is_asked_for) {
  const auto event = [](std::string_view kind, double hz) { return agent_event(Kind::parse(kind).take(), hz); };
  EXPECT_EQ(*event("cpu", 100), "event=cpu,interval=10000000,cstack=vm");
  EXPECT_EQ(*event("wall", 1000), "event=wall,interval=1000000,cstack=vm");
  EXPECT_EQ(*event("alloc", 100), "event=alloc,alloc=524288,cstack=vm");
  EXPECT_EQ(*event("lock", 100), "event=lock,lock=10000,cstack=vm");
  EXPECT_FALSE(event("off-cpu", 100).ok());
  EXPECT_FALSE(event("event:page-faults", 100).ok());
}

TEST(async_profiler, records_kinds_of_the_table_and_all_that_only_runtimes_record) {
  const auto names = agent_kinds();
  for (const std::string_view name : names) {
    const profile::KindRow* kind = profile::find_kind(name);
    ASSERT_NE(kind, nullptr) << name;
    EXPECT_EQ(kind->name, name);
  }
  for (const profile::KindRow& kind : profile::kinds())
    EXPECT_TRUE(!is_of_runtimes({&kind}) || std::ranges::count(names, kind.name) == 1) << kind.name;
}

class SampledJava : public test::SampledJava {};

TEST_P(SampledJava, has_the_shares_lines_and_threads_that_it_knows_of_itself) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto started = (*made)->start();
  ASSERT_TRUE(started.ok()) << started.error().message;
  const std::string folder = folder_of(program);
  ASSERT_TRUE(std::filesystem::exists(folder));
  spend(program.pid(), 2'000'000'000);
  auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->text(profile->value_types()[0].type), "samples");
  EXPECT_EQ(profile->text(profile->value_types()[1].type), "cpu");
  const Seen seen = look_into(*profile);
  EXPECT_GT(seen.samples, 300);
  EXPECT_NEAR(static_cast<double>(seen.total) / static_cast<double>(seen.samples), 1e9 / 499, 1.0);
  EXPECT_TRUE(seen.threads.contains("split-worker-0"));
  EXPECT_TRUE(seen.threads.contains("split-worker-1"));
  const auto [first, last] = lines_of("sixty");
  ASSERT_TRUE(seen.lines.contains("Split.sixty"));
  for (const int64_t line : seen.lines.at("Split.sixty")) EXPECT_TRUE(line > first && line < last) << line;
  made->reset();
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
  expect_quiet(program.output());
  expect_shares(seen, program.end(), seen.samples);
}

TEST_P(SampledJava, hands_out_pieces_that_add_up) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  const uint64_t before = *linux::cpu_time_ns(program.pid());
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    spend(program.pid(), 500'000'000);
    auto profile = (*made)->take(i == 3);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    const Seen seen = look_into(*profile);
    EXPECT_GT(seen.samples, 50) << i;
    sum += seen.total;
  }
  // A piece that was handed out twice would make it more. Less it may be on a busy machine, where timers come late.
  const double spent = static_cast<double>(*linux::cpu_time_ns(program.pid()) - before);
  EXPECT_LT(static_cast<double>(sum) / spent, 1.15);
}

TEST_P(SampledJava, is_sampled_at_another_rate_when_told_so) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  for (const double hz : {49.0, 199.0}) {
    (*made)->set_rate(hz);
    ASSERT_TRUE((*made)->take(false).ok()) << "what was recorded at the rate before is not looked at here";
    spend(program.pid(), 500'000'000);
    const auto profile = (*made)->take(false);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    const Seen seen = look_into(*profile);
    EXPECT_GT(seen.samples, 0) << hz;
    EXPECT_NEAR(static_cast<double>(seen.total) / static_cast<double>(seen.samples), 1e9 / hz, 1.0);
  }
}

TEST_P(SampledJava, keeps_what_it_recorded_when_the_rate_changes) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  for (const double hz : {199.0, 19.0}) {
    spend(program.pid(), 500'000'000);
    (*made)->set_rate(hz);
  }
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  const Seen seen = look_into(*profile);
  // What a sample weighs tells at which rate it was taken.
  const int64_t slow = (seen.total - seen.samples * 1'000'000'000 / 499) / (1'000'000'000 / 199 - 1'000'000'000 / 499);
  EXPECT_GT(seen.samples - slow, 50) << "250 at 499 Hz, where no timer came late";
  EXPECT_GT(slow, 20) << "100 at 199 Hz, where no timer came late";
  for (const profile::Loss& loss : profile->losses) EXPECT_EQ(loss.count, 0u) << profile->text(loss.reason);
}

TEST_P(SampledJava, shows_who_allocates) {
  JavaProgram program(folder_, options({}, "alloc"));
  auto made = recorder(program.pid(), "alloc");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto started = (*made)->start();
  if (!started.ok() && look(program.pid())->release() < 11) {
    EXPECT_NE(started.error().hint.find("debug symbols"), std::string::npos) << started.error().message;
    GTEST_SKIP() << started.error().message;
  }
  ASSERT_TRUE(started.ok()) << started.error().message;
  spend(program.pid(), 1'000'000'000);
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->text(profile->value_types()[1].type), "alloc_space");
  const Seen seen = look_into(*profile);
  expect_shares(seen, program.end(), seen.total / (512 << 10));
}

TEST_P(SampledJava, shows_who_waits_for_locks) {
  JavaProgram program(folder_, options({}, "lock"));
  auto made = recorder(program.pid(), "lock");
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  spend(program.pid(), 500'000'000);
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->text(profile->value_types()[1].type), "lock");
  const Seen seen = look_into(*profile);
  EXPECT_GT(seen.total, 0);
  EXPECT_GT(seen.shares.at("Split.wantLock"), 0.9);
}

TEST_P(SampledJava, shows_time_whether_it_runs_or_waits) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid(), "wall");
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  bool is_main_seen = false;
  constexpr int kMostWindows = 40;  // a few threads are looked at each time: that it is main's turn may take a while
  for (int i = 0; i < kMostWindows && !is_main_seen; ++i) {
    spend(program.pid(), 100'000'000);
    const auto profile = (*made)->take(false);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_EQ(profile->value_types().size(), 2u);
    EXPECT_EQ(profile->text(profile->value_types()[0].type), "samples");
    EXPECT_EQ(profile->text(profile->value_types()[1].type), "wall");
    is_main_seen = look_into(*profile).threads.contains("main");
  }
  EXPECT_TRUE(is_main_seen) << "main sleeps";
}

INSTANTIATE_TEST_SUITE_P(each, SampledJava, testing::ValuesIn(test::java_homes()), test::home_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledJava);

}  // namespace
}  // namespace atys::capture::java
