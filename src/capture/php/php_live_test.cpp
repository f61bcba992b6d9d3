// SPDX-License-Identifier: Apache-2.0
// The installed PHP, waiting where its stack is known: every offset that we use has to be right for that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "capture/php/php_process.h"
#include "capture/php/php_reader.h"
#include "capture/profiling_kernel.h"
#include "capture/target/detect.h"
#include "capture/walking/walk_remote.h"
#include "support/compiled_program.h"
#include "support/memory_image.h"
#include "support/waiting_program.h"

namespace atys::capture {
namespace {

constexpr const char* kIncluded = R"(<?php
namespace App;
function numbers() {
  (new class { public function run() { eval("\n\n\\App\\Service::wait(1);"); } })->run();
  yield 1;
}
)";

constexpr const char* kScript = R"(<?php
namespace App;
class Service {
  public static function wait(int $depth) {
    if ($depth < 3) {
      self::wait($depth + 1);
    } else {
      $wait = function ($command) {
        passthru($command);
      };
      array_map($wait, ['echo ready; exec cat']);
    }
  }
  public function __call($name, $arguments) {
    foreach (numbers() as $number) {
    }
  }
}
require __DIR__ . '/included.php';
(new Service)->anything();
)";

struct Shown {
  std::string text;  // "App\Service::wait script.php:6"
  bool is_entry = false;
};

std::vector<Shown> shown(StackReader& reader, const std::vector<LanguageFrame>& frames) {
  std::vector<Shown> lines;
  for (const LanguageFrame& frame : frames) {
    const LanguageName name = reader.name(frame.id);
    const std::string file = name.file.substr(name.file.rfind('/') + 1);
    lines.push_back({name.function + (file.empty() ? "" : fmt::format(" {}:{}", file, name.line)), frame.is_entry});
  }
  return lines;
}

// Empty: torn.
std::vector<Shown> read_all(linux::MemoryReader& memory, StackReader& reader) {
  std::vector<atys_walked> walk;
  EXPECT_EQ(walk_remote(memory, reader.walker(), reader.walker().holder, walk), RemoteWalk::Whole);
  std::vector<LanguageFrame> frames;
  EXPECT_TRUE(reader.read(walk, frames));
  return shown(reader, frames);
}

class PhpLive : public testing::Test {
 protected:
  void SetUp() override {
    if (!folder_.run("php -v >/dev/null 2>&1")) GTEST_SKIP() << "php is not installed";
    folder_.write("included.php", kIncluded);
    folder_.write("script.php", kScript);
  }

  void start(const std::string& script) {
    program_ = std::make_unique<test::WaitingProgram>(std::vector<std::string>{"php", folder_.file(script)});
    ASSERT_EQ(program_->read_line().substr(0, 5), "ready");
    auto detection = detect(program_->pid());
    ASSERT_TRUE(detection.ok());
    ASSERT_EQ(detection->runtimes.size(), 1U);
    runtime_ = detection->runtimes[0];
    ASSERT_EQ(runtime_.kernel, "php");
    ASSERT_FALSE(runtime_.is_native_only) << runtime_.limits;
    const RecordingPlan plan;
    auto attached = find_kernel("php")->attach({.pid = program_->pid(), .runtime = &runtime_, .plan = &plan});
    ASSERT_TRUE(attached.ok()) << attached.error().message;
    reader_ = std::move(attached->reader);
    ASSERT_NE(reader_, nullptr);
  }

  test::BuildFolder folder_;
  std::unique_ptr<test::WaitingProgram> program_;
  DetectedRuntime runtime_;
  std::unique_ptr<StackReader> reader_;
};

TEST_F(PhpLive, names_every_kind_of_frame_with_file_and_line) {
  start("script.php");
  linux::ProcessMemory memory(program_->pid());
  std::vector<Shown> lines = read_all(memory, *reader_);
  // PHP 8.4 has names of its own for closures.
  ASSERT_GT(lines.size(), 2U);
  EXPECT_EQ(lines[1].text.find("App\\Service::"), 0U);
  EXPECT_NE(lines[1].text.find("{closure:"), std::string::npos);
  lines[1].text = "closure" + lines[1].text.substr(lines[1].text.rfind(' '));
  const std::vector<std::pair<std::string, bool>> expected = {
      {"passthru", false},
      {"closure script.php:9", true},
      {"array_map", false},
      {"App\\Service::wait script.php:11", false},
      {"App\\Service::wait script.php:6", false},
      {"App\\Service::wait script.php:6", false},
      {"<eval> included.php(4) : eval()'d code:3", false},
      {"class@anonymous::run included.php:4", false},
      {"App\\numbers included.php:4", true},
      {"App\\Service::__call script.php:15", false},
      {"<main> script.php:20", true},
  };
  for (size_t i = 0; i < std::max(lines.size(), expected.size()); ++i) {
    ASSERT_LT(i, lines.size());
    ASSERT_LT(i, expected.size()) << lines[i].text;
    EXPECT_EQ(lines[i].text, expected[i].first);
    EXPECT_EQ(lines[i].is_entry, expected[i].second) << lines[i].text;
  }
  EXPECT_EQ(program_->finish(), 0);
}

// With ATYS_KEEP_IMAGE=FILE, the image is kept: as a seed for php_reader_fuzzer.
TEST_F(PhpLive, reads_the_same_from_a_recorded_image) {
  start("script.php");
  const auto process = php::find_php(program_->pid(), runtime_);
  ASSERT_TRUE(process.ok());
  linux::ProcessMemory memory(program_->pid());
  std::map<uint64_t, std::string> pieces;
  test::RecordingMemory recording(memory, pieces);
  php::PhpReader reader(std::make_unique<test::RecordingMemory>(memory, pieces), *process);
  const std::vector<Shown> lines = read_all(recording, reader);
  EXPECT_EQ(lines.size(), 11U);
  const std::string image = test::image_of(pieces);
  php::PhpReader replaying(std::make_unique<test::FakeMemory>(test::memory_of(image)), *process);
  test::FakeMemory replayed = test::memory_of(image);
  const std::vector<Shown> again = read_all(replayed, replaying);
  ASSERT_EQ(again.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(again[i].text, lines[i].text);
  if (const char* kept = std::getenv("ATYS_KEEP_IMAGE")) {
    constexpr std::string_view kVersions = "7.4 8.0 8.1 8.2 8.3 8.4";
    std::string seed(1, static_cast<char>(kVersions.find(process->layout.version) / 4));
    seed.append(reinterpret_cast<const char*>(&process->globals.start), sizeof process->globals.start);
    std::ofstream(kept, std::ios::binary) << seed << image;
  }
}

TEST_F(PhpLive, says_where_the_interpreter_itself_lies) {
  start("script.php");
  const InterpreterCode& code = reader_->code();
  ASSERT_FALSE(code.evaluator.empty());
  ASSERT_FALSE(code.own.empty());
  for (const AddressRange& evaluator : code.evaluator) {
    EXPECT_LT(evaluator.start, evaluator.end);
    for (const AddressRange& own : code.own) EXPECT_TRUE(own.end <= evaluator.start || own.start >= evaluator.end);
  }
}

}  // namespace
}  // namespace atys::capture
