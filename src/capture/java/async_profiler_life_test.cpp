// SPDX-License-Identifier: Apache-2.0
// Recorders and processes come and go, in each other's way or not: nothing is left, nothing is disturbed.
#include <algorithm>
#include <fstream>

#include "base/byte_source.h"
#include "capture/java/agent_session.h"
#include "capture/java/jfr_chunks.h"
#include "capture/profiling_kernel.h"
#include "linux/proc_maps.h"
#include "support/sampled_java.h"

namespace atys::capture::java {
namespace {

using test::JavaProgram;
using test::look_into;
using test::Seen;

class SampledJavaLife : public test::SampledJava {};

TEST_P(SampledJavaLife, can_be_recorded_again_with_the_library_that_it_has) {
  JavaProgram program(folder_, options());
  for (int i = 0; i < 3; ++i) {
    auto made = recorder(program.pid());
    ASSERT_TRUE(made.ok()) << made.error().message;
    const auto started = (*made)->start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    spend(program.pid(), 100'000'000);
    const auto profile = (*made)->take(true);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_GT(look_into(*profile).samples, 5);
  }
  std::ifstream maps("/proc/" + std::to_string(program.pid()) + "/maps");
  std::set<std::string> libraries;
  for (std::string line; std::getline(maps, line);)
    if (line.find("libasyncProfiler") != std::string::npos) libraries.insert(line.substr(line.find('/')));
  EXPECT_EQ(libraries.size(), 1u);
}

TEST_P(SampledJavaLife, that_somebody_records_already_is_not_disturbed) {
  JavaProgram program(folder_, options());
  auto first = recorder(program.pid());
  ASSERT_TRUE(first.ok()) << first.error().message;
  ASSERT_TRUE((*first)->start().ok());
  auto second = recorder(program.pid());
  ASSERT_TRUE(second.ok());
  const auto refused = (*second)->start();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Unavailable);
  EXPECT_NE(refused.error().message.find("another recording"), std::string::npos) << refused.error().message;
  second->reset();
  spend(program.pid(), 300'000'000);
  const auto profile = (*first)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(look_into(*profile).samples, 50);
}

TEST_P(SampledJavaLife, whose_recording_somebody_else_ended_is_told_with_what_there_is) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  spend(program.pid(), 300'000'000);
  const auto ranges = linux::read_maps(program.pid());
  const auto agent = std::ranges::find_if(
      *ranges, [](const linux::MappedRange& range) { return range.path.ends_with("/libasyncProfiler.so"); });
  ASSERT_NE(agent, ranges->end());
  const auto client = AttachClient::create(*look(program.pid()));
  ASSERT_TRUE(client->command("load", {agent->path, "true", "stop,log=/dev/null"}).ok());
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(look_into(*profile).samples, 50);
  EXPECT_EQ(profile->losses.size(), 1u);
}

TEST_P(SampledJavaLife, that_ends_has_written_what_was_recorded) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  const std::string folder = folder_of(program);
  ASSERT_TRUE(std::filesystem::exists(folder));
  spend(program.pid(), 500'000'000);
  program.end();
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(look_into(*profile).samples, 50);
  made->reset();
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

TEST_P(SampledJavaLife, that_is_killed_is_told_and_leaves_nothing) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  const std::string folder = folder_of(program);
  ASSERT_TRUE(std::filesystem::exists(folder));
  ::kill(program.pid(), SIGKILL);
  while (program.is_running()) ::usleep(1000);
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->losses.size(), 1u);
  made->reset();
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

TEST_P(SampledJavaLife, that_is_killed_loses_the_last_seconds_alone) {
  JavaProgram program(folder_, options());
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE((*made)->start().ok());
  const auto recording = std::filesystem::path(folder_of(program)) / AgentSession::kRecording;
  size_t complete = 0;
  for (int i = 0; i < 6000 && complete == 0; ++i) {
    ::usleep(10'000);
    std::ifstream file(recording, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto found = complete_chunks(as_byte_span(text));
    complete = found.ok() ? *found : 0;
  }
  ASSERT_GT(complete, 0u) << "everything would be lost";
  spend(program.pid(), 100'000'000);
  ::kill(program.pid(), SIGKILL);
  while (program.is_running()) ::usleep(1000);
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(look_into(*profile).samples, 50);
  EXPECT_EQ(profile->losses.size(), 1u);
}

TEST_P(SampledJavaLife, of_another_user_is_recorded_by_root) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  JavaProgram::Options other = options();
  other.user = 12345;
  JavaProgram program(folder_, other);
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto started = (*made)->start();
  ASSERT_TRUE(started.ok()) << started.error().message;
  const std::string folder = folder_of(program);
  ASSERT_TRUE(std::filesystem::exists(folder));
  spend(program.pid(), 300'000'000);
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(look_into(*profile).samples, 50);
  made->reset();
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
  expect_quiet(program.output());
}

TEST_P(SampledJavaLife, in_a_container_is_recorded_with_our_numbers_of_threads) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  JavaProgram::Options contained = options();
  contained.is_contained = true;
  JavaProgram program(folder_, contained);
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  ASSERT_EQ(process->info.pid_in_namespace, 1);
  auto made = recorder(program.pid());
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto started = (*made)->start();
  ASSERT_TRUE(started.ok()) << started.error().message;
  spend(program.pid(), 300'000'000);
  const auto profile = (*made)->take(true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(look_into(*profile).samples, 50);
  const auto threads = linux::list_threads(program.pid());
  for (const profile::LabelId id : profile->label_sets[profile->samples.labels(0)]) {
    const profile::Label& label = profile->labels[id];
    EXPECT_TRUE(profile->text(label.key) != "thread.id" || std::ranges::count(*threads, label.number) == 1);
  }
  made->reset();
  for (const auto& entry : std::filesystem::directory_iterator(program.temp()))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".a")) << entry.path();
  expect_quiet(program.output());
}

// Threads, open files and files in /tmp of the process.
struct Holdings {
  size_t threads = 0;
  size_t files = 0;
  size_t ours = 0;  // files that we have open ourselves
};
Holdings holdings_of(pid_t pid) {
  const auto count = [](const std::string& folder) {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  };
  const std::string base = "/proc/" + std::to_string(pid);
  return {count(base + "/task"), count(base + "/fd"), count("/proc/self/fd")};
}

// Set ATYS_TEST_CYCLES for more: a thousand take about half a minute on a quiet machine.
TEST_P(SampledJavaLife, recorded_again_and_again_holds_no_more_than_before) {
  const char* given = std::getenv("ATYS_TEST_CYCLES");
  const int cycles = given == nullptr ? 10 : std::atoi(given);
  JavaProgram program(folder_, options());
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  Holdings before;
  for (int i = 0; i <= cycles; ++i) {
    RecordingPlan plan;
    auto made = AsyncProfiler::create(*process, std::make_unique<AgentLibrary>(*library()), plan);
    ASSERT_TRUE(made.ok()) << made.error().message;
    const auto started = (*made)->start();
    ASSERT_TRUE(started.ok()) << started.error().message << " in cycle " << i;
    const auto profile = (*made)->take(true);
    ASSERT_TRUE(profile.ok()) << profile.error().message << " in cycle " << i;
    made->reset();
    // The first leaves the listener's thread and the library in the machine.
    if (i == 0) before = holdings_of(program.pid());
  }
  // A compiler thread may come or go meanwhile.
  const Holdings after = holdings_of(program.pid());
  EXPECT_LE(after.threads, before.threads + 2);
  EXPECT_LE(after.files, before.files + 1);
  EXPECT_EQ(after.ours, before.ours);
  EXPECT_TRUE(program.is_running());
  expect_quiet(program.output());
}

INSTANTIATE_TEST_SUITE_P(each, SampledJavaLife, testing::ValuesIn(test::java_homes()), test::home_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledJavaLife);

}  // namespace
}  // namespace atys::capture::java
