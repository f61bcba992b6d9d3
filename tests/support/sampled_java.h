// SPDX-License-Identifier: Apache-2.0
// Real Java programs, of each release that is here, sampled by async-profiler.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "base/json.h"
#include "capture/java/agent_session.h"
#include "capture/java/async_profiler.h"
#include "support/live_java.h"
#include "support/seen_profile.h"
#include "symbolize/elf_file.h"

namespace atys::test {

// One point and four standard errors of the samples taken.
inline double allowed(double share, int64_t samples) {
  return 0.01 + 4 * std::sqrt(share * (1 - share) / static_cast<double>(std::max<int64_t>(samples, 1)));
}

class SampledJava : public LiveJava {
 protected:
  void SetUp() override {
    LiveJava::SetUp();
    if (!library().ok()) GTEST_SKIP() << library().error().message << ": " << capture::java::kMavenCommand;
  }
  static Result<capture::java::AgentLibrary> library() {
    return capture::java::find_agent_library(symbolize::ElfFile::open("/proc/self/exe")->machine(),
                                             capture::java::AgentPlaces::of_environment());
  }
  static Result<std::unique_ptr<capture::java::AsyncProfiler>> recorder(pid_t pid, std::string_view kind = "cpu",
                                                                        double hz = 499) {
    capture::RecordingPlan plan;
    plan.kind = TRY(capture::Kind::parse(kind));
    plan.hz = hz;
    return capture::java::AsyncProfiler::create(TRY(look(pid)),
                                                std::make_unique<capture::java::AgentLibrary>(TRY(library())), plan);
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
      if (target.filename() == capture::java::AgentSession::kRecording)
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
    std::ifstream source(split_source());
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

}  // namespace atys::test
