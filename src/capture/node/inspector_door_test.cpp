// SPDX-License-Identifier: Apache-2.0
// Whose inspector is opened, at which port, and that it is closed again: real Node.js processes.
#include "capture/node/inspector_door.h"

#include "capture/node/node_recorder.h"
#include "capture/self_recording/own_recording.h"
#include "linux/namespaces.h"
#include "support/live_node.h"

namespace atys::capture::node {
namespace {

using test::Deadline;
using test::kIdle;
using test::kPatienceMs;
using test::kSplit;
using test::Port;
using test::wait_until;

class InspectorDoorTest : public test::LiveNode {};

TEST(inspector_door, stays_shut_where_v8_may_crash_when_it_profiles_itself) {
  EXPECT_FALSE(survives_profiling("7.8"));
  EXPECT_FALSE(survives_profiling("6.2.414"));
  EXPECT_TRUE(survives_profiling("8.4"));
  EXPECT_TRUE(survives_profiling("11.3"));
  EXPECT_TRUE(survives_profiling("13.6.233"));
  EXPECT_TRUE(survives_profiling("")) << "who does not tell is new";
}

TEST(inspector_door, gives_a_process_that_gets_little_of_a_busy_machine_time_to_begin) {
  EXPECT_TRUE(may_be_starting(1, 0.9));
  EXPECT_TRUE(may_be_starting(20, 0.1)) << "it has hardly run yet";
  EXPECT_FALSE(may_be_starting(20, 3));
  EXPECT_FALSE(may_be_starting(3600, 0.1)) << "it sleeps";
}

TEST_F(InspectorDoorTest, closes_the_inspector_of_a_process_that_never_comes_back_to_its_event_loop) {
  const auto child =
      begin("console.log('begun'); function loop() { let x = 1; while (true) x = Math.sqrt(x + 1); } loop();");
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  spend(child->pid(), 100);
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_FALSE(child->has_ended());
}

// The main thread is interrupted in the middle of a long turn; its event loop, asked as well, comes to it afterwards: in the
// same turn where that began with a timer, in the next where it began with a file.
TEST_F(InspectorDoorTest, stays_closed_when_a_long_turn_of_the_event_loop_ends) {
  for (const std::string beginning : {"setTimeout(spin, 1);", "require('fs').readFile('/dev/null', spin);"}) {
    const auto child = begin(
        "function spin() { console.log('begun'); const end = Date.now() + 2500; let x = 1; while (Date.now() < end) x = "
        "Math.sqrt(x + 1); console.log('ended'); setTimeout(() => { console.log('turned'); setInterval(() => {}, 10); }, "
        "200); }" +
        beginning);
    auto attachment = attach(child->pid());
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    ASSERT_TRUE(start(*attachment->recorder));
    EXPECT_TRUE(attachment->recorder->take(true).ok());
    if (child->output().find("ended") != std::string::npos) GTEST_SKIP() << "too slow here to be closed within the turn";
    EXPECT_EQ(child->listeners(), 0u);
    ASSERT_TRUE(child->wait_for("turned"));
    EXPECT_EQ(child->listeners(), 0u) << beginning << child->errors();
  }
}

// A synchronous child holds the main thread where no interrupt reaches it: what was asked for opens when we have given up,
// and what the program itself listens with by then is none of ours.
TEST_F(InspectorDoorTest, closes_an_inspector_that_opened_too_late) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const auto child = begin(
      "console.log('begun'); require('child_process').execSync('sleep 2');"
      "require('net').createServer().listen(0, '127.0.0.1', () => console.log('listens'));",
      {"--inspect-port=" + number});
  const auto detection = detect(child->pid());
  ASSERT_TRUE(detection.ok() && !detection->runtimes.empty());
  const auto process = look_at_process(child->pid(), detection->runtimes.front().path);
  ASSERT_TRUE(process.ok());
  InspectorDoor door(*process);
  const auto opened = door.open(Deadline::in_ms(200));
  if (opened.ok()) GTEST_SKIP() << "too slow here to be asked within the turn";
  EXPECT_TRUE(door.close(std::nullopt, Deadline::in_ms(kPatienceMs)).ok()) << "there is nothing to close yet";
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return child->listeners() == 2; }));
  const auto closed = door.close(std::nullopt, Deadline::in_ms(kPatienceMs));
  EXPECT_TRUE(closed.ok()) << closed.error().message;
  ASSERT_TRUE(child->wait_for("listens"));
  EXPECT_EQ(child->listeners(), 1u) << child->errors();
}

TEST_F(InspectorDoorTest, reaches_a_process_in_another_network_namespace) {
  if (::geteuid() != 0) GTEST_SKIP() << "wants root";
  const auto child = begin(kSplit, {}, true);
  if (!linux::foreign_namespaces(child->pid()).net) GTEST_SKIP() << "no network namespace could be made";
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  spend(child->pid(), 200);
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 0u);
  EXPECT_FALSE(linux::foreign_namespaces(::getpid()).net);
}

TEST_F(InspectorDoorTest, leaves_a_process_alone_that_listens_for_the_signal_itself) {
  const auto child = begin(
      "process.on('SIGTERM', () => {}); process.on('SIGUSR1', () => console.log('rotated')); process.on('SIGHUP', () => {});"
      "setInterval(() => {}, 10); console.log('begun');");
  const auto attachment = attach(child->pid());
  ASSERT_FALSE(attachment.ok());
  EXPECT_NE(attachment.error().message.find("listens for SIGUSR1"), std::string::npos) << attachment.error().message;
  EXPECT_EQ(child->output(), "begun\n");
}

TEST_F(InspectorDoorTest, takes_a_process_that_listens_for_other_signals) {
  const auto child = begin(
      "for (const s of ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT']) process.on(s, () => {});"
      "setInterval(() => {}, 10); console.log('begun');");
  const auto attachment = attach(child->pid());
  EXPECT_TRUE(attachment.ok()) << attachment.error().message;
}

TEST_F(InspectorDoorTest, leaves_a_stopped_process_alone) {
  const auto child = begin(kIdle);
  ::kill(child->pid(), SIGSTOP);
  wait_until(Deadline::in_ms(kPatienceMs), [&] { return linux::read_process(child->pid())->state == 'T'; });
  EXPECT_FALSE(attach(child->pid()).ok());
  ::kill(child->pid(), SIGCONT);
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return attach(child->pid()).ok(); }));
}

TEST_F(InspectorDoorTest, does_not_open_an_inspector_whose_port_another_process_has) {
  Port port;
  ASSERT_EQ(::listen(port.fd.get(), 1), 0);
  const auto child = begin(kIdle, {"--inspect-port=" + port.number()});
  const auto detection = detect(child->pid());
  ASSERT_TRUE(detection.ok() && !detection->runtimes.empty());
  const auto process = look_at_process(child->pid(), detection->runtimes.front().path);
  ASSERT_TRUE(process.ok());
  const auto refused = InspectorDoor(*process).open(Deadline::in_ms(100));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("process " + std::to_string(::getpid())), std::string::npos)
      << refused.error().message;
  EXPECT_NE(refused.error().message.find("listens on port " + port.number()), std::string::npos);
  EXPECT_EQ(child->errors(), "");

  port.fd.reset();
  NodeRecorder recorder(*process, {});
  EXPECT_TRUE(start(recorder));
}

TEST_F(InspectorDoorTest, records_several_processes_at_once_though_all_want_the_same_port) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const std::vector<std::string> options{"--inspect-port=" + number};
  const auto one = begin(kSplit, options);
  const auto two = begin(kSplit, options);
  for (int times = 0; times < 2; ++times) {
    auto first = attach(one->pid());
    auto second = attach(two->pid());
    ASSERT_TRUE(first.ok() && second.ok());
    for (auto* attachment : {&*first, &*second}) {
      ASSERT_TRUE(start(*attachment->recorder));
    }
    for (const auto* child : {&one, &two}) spend((*child)->pid(), 200);
    for (auto* attachment : {&*first, &*second}) {
      const auto profile = attachment->recorder->take(true);
      ASSERT_TRUE(profile.ok()) << profile.error().message;
      EXPECT_GT(leaves(*profile)["sixty"], 0);
    }
    EXPECT_EQ(one->listeners() + two->listeners(), 0u);
  }
  // Each is as it was: the signal opens the inspector where it always would have.
  ::kill(one->pid(), SIGUSR1);
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] {
    return one->errors().rfind("ws://127.0.0.1:" + number + "/") > one->errors().rfind("Debugger attached");
  })) << one->errors();
}

// A first one that thought itself alone: it has the port when the others come.
TEST_F(InspectorDoorTest, gives_the_port_back_when_another_process_that_is_recorded_wants_it) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const std::vector<std::string> options{"--inspect-port=" + number};
  const auto one = begin(kSplit, options);
  const auto detection = detect(one->pid());
  ASSERT_TRUE(detection.ok() && !detection->runtimes.empty());
  const auto process = look_at_process(one->pid(), detection->runtimes.front().path);
  ASSERT_TRUE(process.ok());
  OwnRecording first(one->pid(), std::make_unique<NodeRecorder>(*process, NodeRecording{.has_company = false}));
  ASSERT_TRUE(first.is_settled(std::chrono::milliseconds(kPatienceMs)) && first.has_started()) << one->errors();
  spend(one->pid(), 200);
  const auto two = begin(kSplit, options);
  auto second = attach(two->pid());
  ASSERT_TRUE(second.ok()) << second.error().message;
  ASSERT_TRUE(start(*second->recorder)) << two->errors();
  EXPECT_EQ(one->listeners() + two->listeners(), 2u) << one->errors();
  spend(one->pid(), 200);
  const auto profile = first.take(true, std::chrono::milliseconds(kPatienceMs));
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_GT(leaves(*profile)["sixty"], 0);
  EXPECT_TRUE(second->recorder->take(true).ok());
  EXPECT_EQ(one->listeners() + two->listeners(), 0u);
  EXPECT_EQ(two->errors().find("in use"), std::string::npos) << two->errors();
}

TEST_F(InspectorDoorTest, uses_an_inspector_that_is_open_and_leaves_it_open) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const auto child = begin(kSplit, {"--inspect=127.0.0.1:" + number});
  if (child->listeners() != 1) GTEST_SKIP() << "somebody else took the port meanwhile";
  auto attachment = attach(child->pid());
  ASSERT_TRUE(attachment.ok()) << attachment.error().message;
  ASSERT_TRUE(start(*attachment->recorder));
  spend(child->pid(), 200);
  EXPECT_TRUE(attachment->recorder->take(true).ok());
  EXPECT_EQ(child->listeners(), 1u);
}

TEST_F(InspectorDoorTest, does_not_join_a_debugger) {
  Port port;
  port.fd.reset();
  const auto child = begin(kSplit, {"--inspect=127.0.0.1:" + port.number()});
  if (child->listeners() != 1) GTEST_SKIP() << "somebody else took the port meanwhile";
  const UniqueFd debugger(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(debugger.get(), reinterpret_cast<const sockaddr*>(&port.address), sizeof port.address), 0);
  // Node.js takes the connection from its queue when it gets to it.
  EXPECT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] {
    const auto attachment = attach(child->pid());
    return !attachment.ok() && attachment.error().message.find("a debugger is attached") != std::string::npos;
  }));
}

}  // namespace
}  // namespace atys::capture::node
