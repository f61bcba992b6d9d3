// SPDX-License-Identifier: Apache-2.0
// The other side is played here: this process has a place in the list, and a handler of its own for the signal.
#include "capture/native/signal_way.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace atys::capture::native {
namespace {

preload::Shared* shared_now = nullptr;

void answer(int, siginfo_t* info, void*) {
  preload::Request& request = shared_now->requests[reinterpret_cast<uintptr_t>(info->si_value.sival_ptr) & 0xff];
  request.copied = 8;
  request.registers.pc = 0x1234;
  request.stage = preload::kDone;
}

class SignalWays : public ::testing::Test {
 protected:
  void SetUp() override {
    auto space = preload::SharedSpace::create();
    ASSERT_TRUE(space.ok());
    shared_now = &(*space)->shared();
    way_.emplace(space.take());
    struct sigaction action {};
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGURG, &action, &before_);
  }
  void TearDown() override { ::sigaction(SIGURG, &before_, nullptr); }
  preload::Process& listen() {
    preload::Process& place = shared_now->processes[3];
    place = {.pid = static_cast<uint32_t>(::getpid()),
             .life = 7,
             .signal = SIGURG,
             .sent = 0,
             .handled = 0,
             .restarted = 2,
             .left = 1,
             .reserved = 0};
    return place;
  }
  SignalWay::Asked ask() { return way_->ask(::getpid(), ::gettid(), preload::kWalkers, 0, 4096); }

  std::optional<SignalWay> way_;
  struct sigaction before_ {};
};

TEST_F(SignalWays, ask_and_take_the_answer_once) {
  EXPECT_EQ(ask(), SignalWay::Asked::Gone);
  listen();
  EXPECT_EQ(way_->listener(::getpid())->life, 7u);
  EXPECT_EQ(ask(), SignalWay::Asked::Sent);
  EXPECT_EQ(ask(), SignalWay::Asked::Waiting);
  int answers = 0;
  const auto on_answer = [&](pid_t pid, pid_t tid, const preload::Request& request) {
    ++answers;
    EXPECT_EQ(pid, ::getpid());
    EXPECT_EQ(tid, ::gettid());
    EXPECT_EQ(request.registers.pc, 0x1234u);
  };
  way_->take_answers(on_answer);
  way_->take_answers(on_answer);
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(way_->figures().sent, 1u);
}

TEST_F(SignalWays, send_nothing_to_who_listens_to_nothing) {
  listen().signal = 0;
  EXPECT_EQ(ask(), SignalWay::Asked::Deaf);
  listen().signal = 65;
  EXPECT_EQ(ask(), SignalWay::Asked::Deaf);
  EXPECT_EQ(shared_now->processes[3].sent, 0u);
}

TEST_F(SignalWays, leave_nothing_of_a_process_that_is_over_to_the_next_in_its_place) {
  preload::Process& place = listen();
  way_->forget(::getpid());
  EXPECT_EQ(place.pid, 0u);
  EXPECT_EQ(place.signal, 0u);  // which the next one would be sent before it has a handler
  EXPECT_EQ(place.life, 0u);
  EXPECT_EQ(way_->figures().restarted, 2u);
  EXPECT_EQ(way_->figures().interrupted, 1u);
}

TEST_F(SignalWays, do_not_count_a_signal_that_its_thread_did_not_live_to_see) {
  ::signal(SIGURG, SIG_IGN);
  preload::Process& place = listen();
  EXPECT_EQ(ask(), SignalWay::Asked::Sent);
  EXPECT_EQ(place.sent, 1u);
  way_->drop_requests(::getpid(), ::gettid());
  EXPECT_EQ(place.sent, 0u);
  EXPECT_EQ(ask(), SignalWay::Asked::Sent);
  place.life = 8;  // another program counts anew
  place.sent = 0;
  way_->drop_requests(::getpid(), ::gettid());
  EXPECT_EQ(place.sent, 0u);
}

TEST_F(SignalWays, have_so_many_places_for_tables_and_no_more) {
  for (uint32_t i = 0; i < preload::kWalkers; ++i) EXPECT_EQ(way_->keep_walker({}), i);
  EXPECT_EQ(way_->keep_walker({}), preload::kWalkers);
  way_->drop_walker(5);
  EXPECT_EQ(way_->keep_walker({}), 5u);
}

}  // namespace
}  // namespace atys::capture::native
