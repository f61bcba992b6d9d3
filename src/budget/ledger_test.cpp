// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace atys::budget {
namespace {

class LedgerFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ledger-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    home_ = pattern;
    folder_ = home_ + "/not/there/yet/ledgers";
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  std::string make(uint64_t tokens) {
    Budget budget;
    budget.in_all.tokens = tokens;
    return Ledger::create(folder_, budget).take();
  }
  std::string path_of(const std::string& id) const { return folder_ + "/" + id + ".ledger"; }

  std::string home_, folder_;
};

TEST_F(LedgerFolder, what_one_caller_spends_is_gone_for_the_other) {
  const std::string id = make(1000);
  Ledger one = Ledger::open(folder_, id).take();
  Ledger other = Ledger::open(folder_, id).take();
  const Reservation call = one.reserve({.most = {.tokens = 600}, .call = "summary"}).take();
  EXPECT_EQ(other.state()->left.tokens, 400u);
  EXPECT_EQ(other.reserve({.most = {.tokens = 600}, .least = {.tokens = 500}}).error().code, ErrorCode::BudgetSpent);
  EXPECT_EQ(one.settle(call, {.tokens = 250})->left.tokens, 750u);
  EXPECT_EQ(other.state()->spent.tokens, 250u);
}

TEST_F(LedgerFolder, survives_being_opened_again) {
  const std::string id = make(1000);
  {
    Ledger ledger = Ledger::open(folder_, id).take();
    const Reservation call = ledger.reserve({.most = {.tokens = 600}}).take();
    ASSERT_TRUE(ledger.settle(call, {.tokens = 250}).ok());
    EXPECT_FALSE(ledger.settle(call, {.tokens = 250}).ok()) << "settles twice";
  }
  EXPECT_EQ(Ledger::open(folder_, id)->state()->left.tokens, 750u);
}

TEST_F(LedgerFolder, a_caller_that_was_killed_has_spent_what_it_reserved) {
  const std::string id = make(1000);
  const pid_t child = ::fork();
  if (child == 0) {
    Ledger ledger = Ledger::open(folder_, id).take();
    (void)ledger.reserve({.most = {.tokens = 600}}).ok();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const LedgerState state = Ledger::open(folder_, id)->state().take();
  EXPECT_EQ(state.spent.tokens, 600u);
  EXPECT_EQ(state.calls_lost, 1u);
  EXPECT_EQ(state.calls_under_way, 0u);
}

TEST_F(LedgerFolder, threads_of_one_process_share_one_ledger) {
  const std::string id = make(1000);
  Ledger ledger = Ledger::open(folder_, id).take();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round)
        if (auto call = ledger.reserve({.most = {.tokens = 50}, .least = {.tokens = 50}}); call.ok())
          (void)ledger.settle(*call, {.tokens = 25}).ok();
    });
  threads.clear();
  const LedgerState state = ledger.state().take();
  EXPECT_EQ(state.spent.tokens, 25 * state.calls);
  EXPECT_LE(state.spent.tokens, 1000u);
  EXPECT_EQ(state.reserved.tokens, 0u);
}

TEST_F(LedgerFolder, the_torn_end_of_a_write_is_mended) {
  const std::string id = make(1000);
  std::ofstream(path_of(id), std::ios::app) << "0123456789abcdef reserve time=1 num";
  Ledger ledger = Ledger::open(folder_, id).take();
  const Reservation call = ledger.reserve({.most = {.tokens = 10}}).take();
  ASSERT_TRUE(ledger.settle(call, {.tokens = 10}).ok());
  EXPECT_EQ(Ledger::open(folder_, id)->state()->left.tokens, 990u);
}

TEST_F(LedgerFolder, a_damaged_file_is_refused) {
  const std::string id = make(1000);
  std::ofstream(path_of(id), std::ios::app) << "nonsense\nnonsense\n";
  EXPECT_FALSE(Ledger::open(folder_, id).ok());
}

TEST_F(LedgerFolder, a_file_that_was_put_back_is_refused_by_who_saw_more) {
  const std::string id = make(1000);
  const std::string copy = home_ + "/copy";
  std::filesystem::copy_file(path_of(id), copy);
  Ledger ledger = Ledger::open(folder_, id).take();
  const Reservation call = ledger.reserve({.most = {.tokens = 10}}).take();
  ASSERT_EQ(::truncate(path_of(id).c_str(), static_cast<off_t>(std::filesystem::file_size(copy))), 0);
  EXPECT_FALSE(ledger.settle(call, {.tokens = 10}).ok());
}

TEST_F(LedgerFolder, ids_that_lead_elsewhere_are_refused) {
  make(1);
  for (const char* id : {"", "..", "../../etc/passwd", "0123456789abcde/", "0123456789ABCDEF", "0123456789abcdef0"})
    EXPECT_EQ(Ledger::open(folder_, id).error().code, ErrorCode::InvalidInput) << id;
  EXPECT_EQ(Ledger::open(folder_, "0123456789abcdef").error().code, ErrorCode::NotFound);
}

TEST_F(LedgerFolder, files_that_are_not_ours_alone_are_refused) {
  const std::string id = make(1);
  ASSERT_EQ(::chmod(path_of(id).c_str(), 0666), 0);
  EXPECT_EQ(Ledger::open(folder_, id).error().code, ErrorCode::PermissionDenied) << "others may write it";
  ASSERT_EQ(::chmod(path_of(id).c_str(), 0600), 0);
  ASSERT_EQ(::link(path_of(id).c_str(), (home_ + "/second").c_str()), 0);
  EXPECT_EQ(Ledger::open(folder_, id).error().code, ErrorCode::PermissionDenied) << "has a second name";
  const std::string other = "00000000000000aa";
  ASSERT_EQ(::symlink(path_of(id).c_str(), path_of(other).c_str()), 0);
  EXPECT_FALSE(Ledger::open(folder_, other).ok()) << "a link";
  const std::string pipe = "00000000000000bb";
  ASSERT_EQ(::mkfifo(path_of(pipe).c_str(), 0600), 0);
  EXPECT_FALSE(Ledger::open(folder_, pipe).ok()) << "a pipe, which must not block either";
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  EXPECT_EQ(Ledger::open(folder_, id).error().code, ErrorCode::PermissionDenied) << "others may write the folder";
}

TEST_F(LedgerFolder, a_file_of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const std::string id = make(1);
  ASSERT_EQ(::chown(path_of(id).c_str(), 65534, 65534), 0);
  EXPECT_EQ(Ledger::open(folder_, id).error().code, ErrorCode::PermissionDenied);
}

}  // namespace
}  // namespace atys::budget
