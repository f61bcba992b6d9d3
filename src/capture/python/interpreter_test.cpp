// SPDX-License-Identifier: Apache-2.0
#include "capture/python/interpreter.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "capture/walking/walk_remote.h"
#include "support/fake_python.h"

namespace atys::capture::python {
namespace {

using test::FakePython;

std::vector<uint64_t> states(FakePython& python) {
  std::vector<uint64_t> states;
  for (const PythonThread& thread : list_python_threads(python.memory(), python.interpreter()))
    states.push_back(thread.state);
  return states;
}

TEST(interpreter, lists_the_threads_of_all_interpreters_in_every_version) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    FakePython python(minor);
    const uint64_t main = python.add_interpreter();
    const uint64_t first = python.add_thread(main, 0x7f01, 101);
    const uint64_t second = python.add_thread(main, 0x7f02, 102);
    const uint64_t other = python.add_thread(python.add_interpreter(), 0x7f03, 103);
    EXPECT_EQ(states(python), (std::vector<uint64_t>{second, first, other})) << minor;
    const auto threads = list_python_threads(python.memory(), python.interpreter());
    EXPECT_EQ(threads[2].pthread, 0x7f03U) << minor;
    EXPECT_EQ(threads[2].native_id, minor >= 11 ? 103U : 0U) << minor;
  }
}

TEST(interpreter, has_no_threads_before_it_started) {
  FakePython python(12);
  EXPECT_TRUE(states(python).empty());
  python.add_interpreter();
  EXPECT_TRUE(states(python).empty());
}

TEST(interpreter, lists_each_thread_once_when_the_list_bites_its_tail) {
  FakePython python(11);
  const uint64_t main = python.add_interpreter();
  const uint64_t last = python.add_thread(main, 1, 101);
  const uint64_t middle = python.add_thread(main, 2, 102);
  const uint64_t first = python.add_thread(main, 3, 103);
  for (const uint64_t target : {first, middle, last}) {
    python.memory().put(last + python.layout().thread_next, target);
    python.memory().reads = 0;
    EXPECT_EQ(states(python), (std::vector<uint64_t>{first, middle, last}));
    EXPECT_LT(python.memory().reads, 40U);
  }
}

TEST(interpreter, lists_each_interpreter_once_when_their_list_bites_its_tail) {
  FakePython python(13);
  const uint64_t main = python.add_interpreter();
  const uint64_t thread = python.add_thread(main, 1, 101);
  const uint64_t other = python.add_interpreter();
  python.memory().put(other + python.layout().interpreter_next, main);
  python.memory().reads = 0;
  EXPECT_EQ(states(python), std::vector<uint64_t>{thread});
  EXPECT_LT(python.memory().reads, 40U);
}

TEST(interpreter, does_not_follow_a_list_into_what_is_no_thread_of_it) {
  FakePython python(12);
  const uint64_t main = python.add_interpreter();
  const uint64_t last = python.add_thread(main, 1, 101);
  const uint64_t first = python.add_thread(main, 2, 102);
  for (const uint64_t nowhere : {uint64_t{8}, ~uint64_t{0}, uint64_t{0x7f0000000000}, main, FakePython::kRuntime}) {
    python.memory().put(last + python.layout().thread_next, nowhere);
    EXPECT_EQ(states(python), (std::vector<uint64_t>{first, last})) << nowhere;
  }
  python.memory().put(first + python.layout().thread_interpreter, main + 8);
  EXPECT_TRUE(states(python).empty());
}

TEST(interpreter, a_list_without_end_is_not_followed_for_ever) {
  FakePython python(11);
  const uint64_t main = python.add_interpreter();
  constexpr uint64_t kBytes = 0x1000000;
  const uint64_t chain = python.take(kBytes);
  for (uint64_t at = chain; at + 512 < chain + kBytes; at += 256) {
    python.memory().put(at + python.layout().thread_next, at + 256);
    python.memory().put(at + python.layout().thread_interpreter, main);
  }
  python.memory().put(main + python.layout().interpreter_threads, chain);
  python.memory().reads = 0;
  EXPECT_LE(states(python).size(), 16384U);
  EXPECT_LT(python.memory().reads, 100'000U);
}

// The table for the sampler leads to the frames that a thread has, innermost first, in every version.
TEST(interpreter, tells_the_sampler_how_to_walk) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    FakePython python(minor);
    const uint64_t thread = python.add_thread(python.add_interpreter(), 1, 101);
    const uint64_t outer = python.code({.name = "outer"});
    const uint64_t inner = python.code({.name = "inner"});
    python.call(thread, outer, python.position(outer, 1));
    python.call(thread, inner, python.position(inner, 2), 1);
    const atys_walker walker = python.interpreter().walker();
    EXPECT_LE(walker.window, uint32_t{ATYS_FRAME_WINDOW});
    std::vector<atys_walked> frames;
    ASSERT_EQ(walk_remote(python.memory(), walker, thread, frames), RemoteWalk::Whole) << minor;
    ASSERT_EQ(frames.size(), 2U);
    const uint64_t marker = minor >= 11 ? uint64_t{1} << 48 : 0;
    EXPECT_EQ(frames[0].code, inner | marker) << minor;
    EXPECT_EQ(frames[0].position, python.position(inner, 2)) << minor;
    EXPECT_EQ(frames[1].code, outer) << minor;
    EXPECT_EQ(walker.identity_at, python.layout().native_thread_id);
  }
}

TEST(interpreter, leads_from_where_the_version_has_it_to_who_holds_the_lock) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    FakePython python(minor);
    const uint64_t main = python.add_interpreter();
    const uint64_t thread = python.add_thread(main, 1, 101);
    const atys_walker walker = python.interpreter().walker();
    EXPECT_EQ(walker.holder, minor < 12 ? FakePython::kRuntime : main);
    uint64_t at = walker.holder;
    if (walker.holder_path.count == 2) {
      const uint64_t lock = python.take(32);
      python.memory().put(at + walker.holder_path.steps[0], lock);
      at = lock;
    }
    python.memory().put(at + walker.holder_path.steps[walker.holder_path.count - 1], thread);
    EXPECT_EQ(follow_remote(python.memory(), walker.holder, walker.holder_path), thread) << minor;
  }
  FakePython free_threaded(14, FakePython::Build::FreeThreaded);
  free_threaded.add_interpreter();
  EXPECT_EQ(free_threaded.interpreter().walker().holder, 0U);
}

class TidOffset : public testing::Test {
 protected:
#if defined(__x86_64__)
  static constexpr uint32_t kThere = 720;  // as glibc has it
#else
  static constexpr uint32_t kThere = 208;
#endif

  // A thread as the C library keeps it, with its number in there.
  void add_thread(uint32_t tid, uint32_t there = kThere) {
    const uint64_t at = 0x100000 + 0x10000 * threads_.size();
    memory_.map(at, 2304);
    memory_.put(at, at);  // itself
    memory_.put(at + there, tid);
    threads_.push_back({.state = 1, .pthread = at});
    tids_.push_back(static_cast<pid_t>(tid));
  }
  std::optional<uint32_t> find() { return find_tid_offset(memory_, threads_, tids_); }

  test::FakeMemory memory_;
  std::vector<PythonThread> threads_;
  std::vector<pid_t> tids_;
};

TEST_F(TidOffset, is_where_each_thread_has_its_number) {
  add_thread(4242);
  EXPECT_EQ(find(), kThere);
  add_thread(4243);
  add_thread(4250);
  EXPECT_EQ(find(), kThere);
}

TEST_F(TidOffset, may_be_elsewhere_in_another_c_library) {
  add_thread(4242, 48);
  add_thread(4243, 48);
  EXPECT_EQ(find(), 48U);
}

TEST_F(TidOffset, is_not_where_all_threads_have_the_number_of_one) {
  add_thread(4242);
  add_thread(4243);
  for (const PythonThread& thread : threads_) memory_.put<uint32_t>(thread.pthread + 200, 4242);
  EXPECT_EQ(find(), kThere);
}

// The first process of a container: small numbers are everywhere.
TEST_F(TidOffset, of_a_thread_whose_number_is_1_is_not_the_first_1) {
  add_thread(1);
  memory_.put<uint32_t>(threads_[0].pthread + 24, 1);
  tids_.push_back(7);
  EXPECT_EQ(find(), kThere);
}

TEST_F(TidOffset, is_not_known_without_a_thread_that_can_be_read) {
  EXPECT_EQ(find(), std::nullopt);
  threads_.push_back({.state = 1, .pthread = 0});
  threads_.push_back({.state = 1, .pthread = 0x7f0000000000});
  EXPECT_EQ(find(), std::nullopt);
  add_thread(4242);
  EXPECT_EQ(find(), kThere);
}

TEST_F(TidOffset, is_not_known_where_no_place_fits_all) {
  add_thread(4242);
  add_thread(4243, 300);
  EXPECT_EQ(find(), std::nullopt);
}

TEST(find_interpreter, says_what_is_missing_in_a_program_that_has_none) {
  Dl_info here{};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&::getpid), &here), 0);
  const std::string name = std::filesystem::canonical(here.dli_fname);
  linux::ProcessMemory memory(::getpid());
  const auto found = find_interpreter(::getpid(), name, "3.11.2", memory);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(find_interpreter(::getpid(), "/no/such/file", "3.11.2", memory).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace atys::capture::python
