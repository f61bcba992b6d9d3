// SPDX-License-Identifier: Apache-2.0
#include "capture/python/thread_names.h"

#include <gtest/gtest.h>

#include "support/fake_objects.h"

namespace atys::capture::python {
namespace {

using test::FakeObjects;
using test::FakePython;
using Keys = FakeObjects::Keys;

constexpr uint64_t kSecondNs = 1'000'000'000;

// A program with threads; their pthread_t are 0x7000 and their number.
class Program {
 public:
  explicit Program(uint32_t minor) : python(minor), objects(python), names(python.memory(), python.interpreter()) {
    interpreter = python.add_interpreter();
  }

  uint64_t thread_object(std::string_view name) {
    const uint64_t key = objects.text("_name");
    const uint64_t text = objects.text(name);
    if (python.layout().minor >= 11) return objects.instance_of_names({key}, {text});
    return objects.instance_with(objects.dictionary(Keys::Names, {{key, text}}));
  }
  void start(pid_t tid) { threads.push_back({tid, {.pthread = 0x7000U + static_cast<uint64_t>(tid)}}); }
  void start(pid_t tid, std::string_view name) {
    start(tid);
    call(tid, name);
  }
  void call(pid_t tid, std::string_view name) {
    std::erase_if(active, [&](const auto& item) { return item.hash == 0x7000U + static_cast<uint64_t>(tid); });
    active.push_back({.key = 1, .value = thread_object(name), .hash = 0x7000U + static_cast<uint64_t>(tid)});
  }
  void end(pid_t tid) {
    std::erase_if(threads, [&](const NumberedThread& thread) { return thread.tid == tid; });
    std::erase_if(active, [&](const auto& item) { return item.hash == 0x7000U + static_cast<uint64_t>(tid); });
  }
  // Puts the module into the interpreter, as an import does.
  void import_threading(uint64_t of) {
    active_dictionary = objects.dictionary(Keys::Any, {});
    const uint64_t module = python.take(64);
    const uint64_t content = objects.dictionary(
        Keys::Names, {{objects.text("_dummy"), 1}, {objects.text("_active"), active_dictionary}, {objects.text("x"), 1}});
    python.memory().put(module + objects.head(), content);
    const uint64_t modules =
        objects.dictionary(Keys::Names, {{objects.text("sys"), 1}, {objects.text("threading"), module}});
    python.memory().put(of + python.layout().interpreter_modules, modules);
  }
  std::string name_of(pid_t tid, uint64_t now_ns) {
    if (active_dictionary != 0)
      python.memory().put(active_dictionary + objects.head() + 16, objects.keys(Keys::Any, active, 5));
    return names.name_of(tid, now_ns, [this] {
      ++times_listed;
      return threads;
    });
  }

  FakePython python;
  FakeObjects objects;
  ThreadNames names;
  uint64_t interpreter = 0;
  uint64_t active_dictionary = 0;
  std::vector<FakeObjects::Item> active;
  std::vector<NumberedThread> threads;
  int times_listed = 0;
};

TEST(thread_names, are_those_of_the_program_in_every_version) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    Program program(minor);
    program.import_threading(program.interpreter);
    program.start(1, "MainThread");
    program.start(2, "worker-7");
    program.start(3);
    EXPECT_EQ(program.name_of(2, kSecondNs), "worker-7") << minor;
    EXPECT_EQ(program.name_of(1, kSecondNs), "MainThread") << minor;
    EXPECT_EQ(program.name_of(3, kSecondNs), "") << minor;
    EXPECT_EQ(program.times_listed, 1);
  }
}

TEST(thread_names, of_threads_that_ended_are_kept) {
  Program program(12);
  program.import_threading(program.interpreter);
  program.start(1, "MainThread");
  program.start(2, "short-lived");
  EXPECT_EQ(program.name_of(2, kSecondNs), "short-lived");
  program.end(2);
  EXPECT_EQ(program.name_of(2, 5 * kSecondNs), "short-lived");
  program.threads.clear();
  program.python.memory().put<uint64_t>(FakePython::kRuntime + program.python.layout().interpreters_head, 0);
  EXPECT_EQ(program.name_of(1, 9 * kSecondNs), "MainThread");
}

TEST(thread_names, of_new_threads_are_looked_for_at_once_and_of_others_each_second) {
  Program program(13);
  program.import_threading(program.interpreter);
  program.start(1, "MainThread");
  program.start(2);
  EXPECT_EQ(program.name_of(2, kSecondNs), "");
  program.call(2, "late");
  for (uint64_t ms = 1; ms < 1000; ++ms) EXPECT_EQ(program.name_of(2, kSecondNs + ms * 1'000'000), "");
  EXPECT_EQ(program.times_listed, 1);
  program.start(3, "new");
  EXPECT_EQ(program.name_of(3, kSecondNs + 50'000'000), "new");
  EXPECT_EQ(program.times_listed, 2);
}

TEST(thread_names, that_came_late_are_found_a_second_later) {
  Program program(11);
  program.start(1);
  EXPECT_EQ(program.name_of(1, kSecondNs), "");
  program.import_threading(program.interpreter);
  program.call(1, "MainThread");
  EXPECT_EQ(program.name_of(1, 2 * kSecondNs), "MainThread");
}

TEST(thread_names, may_change) {
  Program program(9);
  program.import_threading(program.interpreter);
  program.start(1, "Thread-1");
  EXPECT_EQ(program.name_of(1, kSecondNs), "Thread-1");
  program.call(1, "importer");
  EXPECT_EQ(program.name_of(1, kSecondNs + 500'000'000), "Thread-1");
  EXPECT_EQ(program.name_of(1, 2 * kSecondNs), "importer");
}

// The newest interpreter comes first in the list of them; the main thread is in the module of each.
TEST(thread_names, of_the_main_interpreter_come_before_those_of_others) {
  Program program(12);
  program.start(1);
  program.start(2);
  program.import_threading(program.interpreter);
  const uint64_t only_there = program.thread_object("of another interpreter");
  const uint64_t dictionary = program.objects.dictionary(
      Keys::Any, {{1, program.thread_object("not the main one"), 0x7001}, {1, only_there, 0x7002}});
  program.python.memory().put(program.active_dictionary + program.objects.head() + 16,
                              *program.python.memory().value_at<uint64_t>(dictionary + program.objects.head() + 16));
  program.active_dictionary = 0;
  const uint64_t main = program.python.add_interpreter();
  program.import_threading(main);
  program.call(1, "MainThread");
  EXPECT_EQ(program.name_of(1, kSecondNs), "MainThread");
  EXPECT_EQ(program.name_of(2, kSecondNs), "of another interpreter");
}

TEST(thread_names, are_cut_between_characters) {
  Program program(12);
  program.import_threading(program.interpreter);
  program.start(1);
  const std::u32string long_name = U"x" + std::u32string(300, U'é');
  const uint64_t text = program.python.text(long_name, 1, false);
  const uint64_t like = program.objects.text("");
  program.python.memory().put(text + 8, *program.python.memory().value_at<uint64_t>(like + 8));
  const uint64_t object = program.objects.instance_of_names({program.objects.text("_name")}, {text});
  program.active.push_back({.key = 1, .value = object, .hash = 0x7001});
  const std::string name = program.name_of(1, kSecondNs);
  EXPECT_EQ(name.size(), ThreadNames::kLongestName - 1);
  EXPECT_EQ(name.substr(253), "é");
}

TEST(thread_names, that_are_no_text_are_none) {
  Program program(12);
  program.import_threading(program.interpreter);
  program.start(1);
  program.start(2);
  program.start(3);
  const uint64_t key = program.objects.text("_name");
  program.active.push_back({.key = 1, .value = program.objects.instance_of_names({key}, {key + 4}), .hash = 0x7001});
  program.active.push_back({.key = 1, .value = 0x7f0000000000, .hash = 0x7002});
  program.active.push_back({.key = 1, .value = program.objects.instance_of_names({}, {}), .hash = 0x7003});
  for (const pid_t tid : {1, 2, 3}) EXPECT_EQ(program.name_of(tid, kSecondNs), "");
}

TEST(thread_names, of_many_threads_are_read_within_bounds_and_all_in_the_end) {
  Program program(13);
  program.import_threading(program.interpreter);
  constexpr pid_t kThreads = 3000;
  for (pid_t tid = 1; tid <= kThreads; ++tid) program.start(tid, "worker");
  program.python.memory().reads = 0;
  for (uint64_t second = 1; program.name_of(kThreads, second * kSecondNs).empty() && second < 10; ++second) {
    EXPECT_LE(program.python.memory().reads, Dictionaries::kMostReads + 16);
    program.python.memory().reads = 0;
  }
  for (pid_t tid = 1; tid <= kThreads; ++tid) ASSERT_EQ(program.names.name_of(tid, 1, nullptr), "worker") << tid;
}

}  // namespace
}  // namespace atys::capture::python
