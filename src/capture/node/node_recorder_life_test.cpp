// SPDX-License-Identifier: Apache-2.0
// Real Node.js processes that begin or end while they are recorded, and one that is recorded again and again: ATYS_CYCLES
// says how often.
#include <chrono>
#include <filesystem>

#include "capture/node/node_recorder.h"
#include "capture/self_recording/own_recording.h"
#include "support/live_node.h"

namespace atys::capture::node {
namespace {

using test::Deadline;
using test::kPatienceMs;
using test::kSplit;
using test::kWorkers;
using test::NodeChild;
using test::wait_until;

constexpr std::chrono::milliseconds kLong{kPatienceMs};

// How a process comes to its end when it is told to: at once, for lack of anything to do, by an error.
constexpr const char* kExits = "process.on('SIGTERM', () => process.exit(7));";
constexpr const char* kRunsOut = "process.once('SIGTERM', () => { turn = () => {}; process.exitCode = 7; });";
constexpr const char* kThrows = "process.on('SIGTERM', () => { throw new Error('of the program'); });";

class NodeLifeTest : public test::LiveNode {};

TEST_F(NodeLifeTest, ends_when_the_process_does) {
  auto child = begin(kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  child.reset();
  EXPECT_FALSE(attachment->recorder->take(false).ok());
  EXPECT_FALSE(attachment->recorder->take(true).ok());
}

// Node.js ends only when our session has ended.
TEST_F(NodeLifeTest, lets_a_process_end_at_once_and_keeps_what_it_recorded) {
  for (const char* way : {kExits, kRunsOut, kThrows}) {
    const auto child = begin(std::string(way) + kSplit);
    auto attachment = attach(child->pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    OwnRecording recording(child->pid(), std::move(attachment->recorder));
    ASSERT_TRUE(recording.is_settled(kLong));
    spend(child->pid(), 300);
    ::kill(child->pid(), SIGTERM);
    EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return child->has_ended(); })) << way << child->errors();
    EXPECT_EQ(child->exit_status(), way == kThrows ? 1 : 7) << way;
    const auto profile = recording.take(false, kLong);
    ASSERT_TRUE(profile.ok()) << way << ": " << profile.error().message;
    EXPECT_GT(leaves(*profile)["sixty"], 0) << way;
    EXPECT_EQ(recording.covered_threads(), std::vector<pid_t>{child->pid()});
    EXPECT_FALSE(recording.take(true, kLong).ok()) << "nothing is told twice";
  }
}

TEST_F(NodeLifeTest, lets_a_process_with_workers_end) {
  const auto child = begin(std::string(kWorkers) + "if (isMainThread) " + kExits);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  OwnRecording recording(child->pid(), std::move(attachment->recorder));
  ASSERT_TRUE(recording.is_settled(kLong));
  spend(child->pid(), 300);
  ::kill(child->pid(), SIGTERM);
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return child->has_ended(); })) << child->errors();
  EXPECT_EQ(child->exit_status(), 7);
  const auto profile = recording.take(true, kLong);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(profile->samples.size(), 0u);
}

TEST_F(NodeLifeTest, learns_of_the_end_when_it_is_asked_for_what_was_recorded) {
  const auto child = begin(std::string(kExits) + kSplit);
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  spend(child->pid(), 300);
  ::kill(child->pid(), SIGTERM);
  ASSERT_TRUE(wait_until(Deadline::in_ms(kPatienceMs),
                         [&] { return child->errors().find("Waiting for the debugger") != std::string::npos; }));
  const auto profile = attachment->recorder->take(false);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(leaves(*profile)["sixty"], 0);
  (void)attachment->recorder->take(false);  // where the news came after the first answer
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return child->has_ended(); })) << child->errors();
}

TEST_F(NodeLifeTest, waits_for_a_process_that_has_just_begun) {
  const NodeChild child({"--inspect-port=0", "-e", "setInterval(() => {}, 10)"});
  // Until exec it is this test program still.
  wait_until(Deadline::in_ms(kPatienceMs), [&] { return attach(child.pid()).ok() || child.has_ended(); });
  auto attachment = attach(child.pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  EXPECT_TRUE(start(*attachment->recorder));
}

// As it is between exec and its first look at signals: Node.js blocks SIGUSR1 itself then.
TEST_F(NodeLifeTest, does_not_give_up_on_a_process_that_blocks_the_signal_while_it_begins) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const NodeChild child({"--inspect-port=0", "-e", "setInterval(() => {}, 10)"});
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  std::vector<Error> refusals;  // before exec there is no V8 in it
  std::optional<Attachment> first;
  wait_until(Deadline::in_ms(kPatienceMs), [&] {
    auto attachment = attach(child.pid());
    if (attachment.ok())
      first = attachment.take();
    else if (attachment.error().code == ErrorCode::Unsupported)
      refusals.push_back(attachment.error());
    return first || !refusals.empty() || child.has_ended();
  });
  ASSERT_TRUE(refusals.empty()) << refusals.front().message;
  ASSERT_TRUE(first.has_value()) << child.errors();
  OwnRecording recording(child.pid(), std::move(first->recorder));
  ASSERT_TRUE(recording.is_settled(kLong));
  const auto profile = recording.take(true, kLong);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
}

std::string executable_of(pid_t pid) {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", none);
}

// Asked at any moment of its beginning: a module that is loaded while Node.js loads its own stays half made.
TEST_F(NodeLifeTest, leaves_the_modules_of_a_process_that_begins_whole) {
  for (int i = 0; i < 12; ++i) {
    const NodeChild child({"--inspect-port=0", "-e",
                           "setTimeout(() => console.log(typeof require('worker_threads').Worker, typeof "
                           "require('inspector').close), 300); setInterval(() => {}, 10)"});
    // Until exec it is this test program still.
    ASSERT_TRUE(
        wait_until(Deadline::in_ms(kPatienceMs), [&] { return executable_of(child.pid()) != executable_of(::getpid()); }));
    std::optional<Attachment> attachment;
    wait_until(Deadline::in_ms(kPatienceMs), [&] {
      auto attached = attach(child.pid());
      if (attached.ok()) attachment = attached.take();
      return attachment || child.has_ended();
    });
    ASSERT_TRUE(attachment.has_value()) << child.errors();
    OwnRecording recording(child.pid(), std::move(attachment->recorder));
    ASSERT_TRUE(recording.is_settled(kLong));
    const auto profile = recording.take(true, kLong);
    EXPECT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return child.output() == "function function\n"; }))
        << child.output() << child.errors();
  }
}

TEST_F(NodeLifeTest, can_be_done_again_and_again) {
  const char* asked = std::getenv("ATYS_CYCLES");
  const size_t cycles = asked == nullptr ? 20 : std::strtoul(asked, nullptr, 10);
  const auto child = begin(kSplit);
  size_t files = 0;
  size_t threads = 0;
  size_t own_files = 0;
  for (size_t i = 0; i < cycles; ++i) {
    auto attachment = attach(child->pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message << " in cycle " << i;
    ASSERT_TRUE(start(*attachment->recorder)) << " in cycle " << i;
    const auto profile = attachment->recorder->take(true);
    ASSERT_TRUE(profile.ok()) << profile.error().message << " in cycle " << i;
    EXPECT_EQ(child->listeners(), 0u);
    attachment->recorder.reset();
    if (i > 2) continue;  // the first times may make pools that stay
    files = child->open_files();
    threads = child->threads();
    own_files = test::entries("/proc/self/fd");
  }
  // What Node.js closes it closes a little later.
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return child->open_files() <= files; }));
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return child->threads() <= threads; }));
  EXPECT_EQ(test::entries("/proc/self/fd"), own_files);
  EXPECT_EQ(child->output(), "begun\n");
}

}  // namespace
}  // namespace atys::capture::node
