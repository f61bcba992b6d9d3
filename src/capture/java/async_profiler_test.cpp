// SPDX-License-Identifier: Apache-2.0
#include "capture/java/async_profiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "base/byte_source.h"
#include "base/json.h"
#include "capture/java/agent_session.h"
#include "capture/java/jfr_chunks.h"
#include "capture/profiling_kernel.h"
#include "linux/proc_maps.h"
#include "support/live_java.h"
#include "support/seen_profile.h"
#include "symbolize/elf_file.h"

namespace atys::capture::java {
namespace {

using test::JavaProgram;
using test::look_into;
using test::Seen;

std::string chunk(uint64_t size, size_t bytes) {
  std::string text("FLR\0\0\2\0\0", 8);
  for (int shift = 56; shift >= 0; shift -= 8) text.push_back(static_cast<char>(size >> shift));
  text.resize(bytes);
  return text;
}

TEST(jfr_chunks, counts_what_is_complete) {
  const std::string two = chunk(100, 100) + chunk(80, 80);
  EXPECT_EQ(*complete_chunks(as_byte_span(two)), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(1 << 30, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(91, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(0, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(UINT64_MAX, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + "FLR")), 180u);
  EXPECT_EQ(*complete_chunks({}), 0u);
  EXPECT_FALSE(complete_chunks(as_byte_span(two + std::string(90, 'x'))).ok());
}

TEST(async_profiler, understands_answers_of_all_releases) {
  EXPECT_TRUE(check_load({0, "return code: 0\n"}).ok());
  EXPECT_TRUE(check_load({0, "0\n"}).ok());
  EXPECT_FALSE(check_load({0, "return code: 200\n"}).ok());
  EXPECT_FALSE(check_load({0, "/x.so was not loaded.\n"}).ok());
  EXPECT_FALSE(check_load({-1, "/x.so was not loaded.\n"}).ok());
  EXPECT_FALSE(check_load({101, ""}).ok());
}

TEST(async_profiler, records_kinds_at_the_rate_that_is_asked_for) {
  EXPECT_EQ(*agent_event({KindName::Cpu, {}}, 100), "event=cpu,interval=10000000,cstack=vm");
  EXPECT_EQ(*agent_event({KindName::Wall, {}}, 1000), "event=wall,interval=1000000,cstack=vm");
  EXPECT_FALSE(agent_event({KindName::OffCpu, {}}, 100).ok());
}

// One point and four standard errors of the samples taken.
double allowed(double share, int64_t samples) {
  return 0.01 + 4 * std::sqrt(share * (1 - share) / static_cast<double>(std::max<int64_t>(samples, 1)));
}

class SampledJava : public test::LiveJava {
 protected:
  void SetUp() override {
    LiveJava::SetUp();
    if (!library().ok()) GTEST_SKIP() << library().error().message << ": " << kMavenCommand;
  }
  static Result<AgentLibrary> library() {
    return find_agent_library(symbolize::ElfFile::open("/proc/self/exe")->machine(), AgentPlaces::of_environment());
  }
  static Result<std::unique_ptr<AsyncProfiler>> recorder(pid_t pid, KindName kind = KindName::Cpu, double hz = 499) {
    RecordingPlan plan;
    plan.kind.name = kind;
    plan.hz = hz;
    return AsyncProfiler::create(TRY(look(pid)), std::make_unique<AgentLibrary>(TRY(library())), plan);
  }
  static void spend(pid_t pid, uint64_t cpu_ns) {
    const uint64_t before = linux::cpu_time_ns(pid).value();
    for (int i = 0; i < 6000 && *linux::cpu_time_ns(pid) - before < cpu_ns; ++i) ::usleep(10'000);
  }
  // The folder that a recording is written to, by what the process has open.
  static std::string folder_of(const JavaProgram& program) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(program.pid()) + "/fd")) {
      std::error_code gone;
      const auto target = std::filesystem::read_symlink(entry.path(), gone);
      if (target.filename() == AgentSession::kRecording)
        return program.temp() + "/" + target.parent_path().filename().string();
    }
    return {};
  }
  // Warnings of the machine itself (JEP 451) are all that may be there.
  static void expect_quiet(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.starts_with("WARNING: ")) << line;
  }
  // Shares among the functions that the program knows of, by so many samples.
  static void expect_shares(const Seen& seen, const std::string& truth, int64_t samples) {
    const auto json = parse_json(truth);
    ASSERT_TRUE(json.ok()) << truth;
    double all = 0;
    double all_seen = 0;
    for (const auto& [name, units] : (*json)["units"].items()) {
      ASSERT_TRUE(seen.shares.contains(name)) << name;
      all += units.get<double>();
      all_seen += seen.shares.at(name);
    }
    EXPECT_GT(all_seen, 0.9);
    for (const auto& [name, units] : (*json)["units"].items()) {
      const double share = units.get<double>() / all;
      EXPECT_NEAR(seen.shares.at(name) / all_seen, share, allowed(share, samples)) << name << " of " << samples;
    }
  }
  // The lines of a function of Split.java.
  static std::pair<int64_t, int64_t> lines_of(const std::string& function) {
    std::ifstream source(test::split_source());
    std::pair<int64_t, int64_t> found{0, 0};
    int64_t number = 0;
    for (std::string line; std::getline(source, line);) {
      ++number;
      if (line.find("static long " + function + "(") != std::string::npos) found.first = number;
      if (found.first != 0 && line == "    }") return {found.first, number};
    }
    return found;
  }
};

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
  const double spent = static_cast<double>(*linux::cpu_time_ns(program.pid()) - before);
  EXPECT_NEAR(static_cast<double>(sum) / spent, 1.0, 0.15);
}

TEST_P(SampledJava, can_be_recorded_again_with_the_library_that_it_has) {
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

TEST_P(SampledJava, that_somebody_records_already_is_not_disturbed) {
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

TEST_P(SampledJava, whose_recording_somebody_else_ended_is_told_with_what_there_is) {
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

TEST_P(SampledJava, that_ends_has_written_what_was_recorded) {
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

TEST_P(SampledJava, that_is_killed_is_told_and_leaves_nothing) {
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

TEST_P(SampledJava, that_is_killed_loses_the_last_seconds_alone) {
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

TEST_P(SampledJava, of_another_user_is_recorded_by_root) {
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

TEST_P(SampledJava, in_a_container_is_recorded_with_our_numbers_of_threads) {
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
TEST_P(SampledJava, recorded_again_and_again_holds_no_more_than_before) {
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

TEST_P(SampledJava, shows_who_allocates) {
  JavaProgram program(folder_, options({}, "alloc"));
  auto made = recorder(program.pid(), KindName::Alloc);
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
  auto made = recorder(program.pid(), KindName::Lock);
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
  auto made = recorder(program.pid(), KindName::Wall);
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
  EXPECT_GT(seen.total, 700'000'000) << "a second of it was recorded";
  EXPECT_GT(seen.samples, 120) << "250 at 499 Hz, 100 at 199 Hz, where no timer came late";
  for (const profile::Loss& loss : profile->losses) EXPECT_EQ(loss.count, 0u) << profile->text(loss.reason);
}

INSTANTIATE_TEST_SUITE_P(each, SampledJava, testing::ValuesIn(test::java_homes()), test::home_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SampledJava);

}  // namespace
}  // namespace atys::capture::java
