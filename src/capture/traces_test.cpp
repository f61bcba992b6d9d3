// SPDX-License-Identifier: Apache-2.0
#include "capture/traces.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "linux/process.h"
#include "support/compiled_program.h"

namespace atys::capture {
namespace {

TraceNote own_note() {
  return {.kernel = "node",
          .what = "a door",
          .pid = ::getpid(),
          .start_time_ticks = linux::read_process(::getpid())->start_time_ticks,
          .details = {"9229", "a \"word\""}};
}

struct Found {
  std::vector<TraceNote> notes;
  std::vector<bool> alive;
};

Found mended(const std::string& folder, bool is_undone = true) {
  Found found;
  mend_traces(folder, [&](const TraceNote& note, bool is_alive) {
    found.notes.push_back(note);
    found.alive.push_back(is_alive);
    return is_undone;
  });
  return found;
}

// As whoever is killed: nothing runs any more.
template <typename Action>
void killed_after(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    action();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

class Traces : public testing::Test {
 protected:
  std::string folder() const { return scratch_.file("traces"); }
  size_t files() const {
    std::error_code none;
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder(), none), std::filesystem::directory_iterator()));
  }
  test::BuildFolder scratch_;
};

}  // namespace

TEST_F(Traces, of_the_living_are_theirs) {
  auto trace = Trace::leave(folder(), own_note());
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_TRUE(mended(folder()).notes.empty());
  EXPECT_EQ(files(), 1u);
  trace->undone();
  EXPECT_EQ(files(), 0u);
}

TEST_F(Traces, of_the_dead_are_handed_over_once) {
  const TraceNote note = own_note();
  killed_after([&] { Trace::leave(folder(), note).take(); });
  EXPECT_EQ(mended(folder(), false).notes.size(), 1u);
  const Found found = mended(folder());
  ASSERT_EQ(found.notes.size(), 1u) << "what could not be undone is tried again";
  EXPECT_EQ(found.notes[0], note);
  EXPECT_TRUE(found.alive[0]);
  EXPECT_TRUE(mended(folder()).notes.empty());
  EXPECT_EQ(files(), 0u);
}

TEST_F(Traces, say_what_was_noted_last) {
  TraceNote note = own_note();
  killed_after([&] {
    auto trace = Trace::leave(folder(), note);
    trace->change({.kernel = "node", .what = "a door", .pid = note.pid, .start_time_ticks = 1, .details = {"7"}}).ok();
    ::kill(::getpid(), SIGKILL);
  });
  const Found found = mended(folder());
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].details, std::vector<std::string>{"7"});
  EXPECT_FALSE(found.alive[0]) << "another process had that number";
}

TEST_F(Traces, are_for_nobody_else_to_read) {
  auto trace = Trace::leave(folder(), own_note());
  struct stat status {};
  ASSERT_EQ(::stat(folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0700u);
}

TEST_F(Traces, that_make_no_sense_are_dropped) {
  std::filesystem::create_directories(folder());
  for (const char* text :
       {"", "{", "[]", "{\"kernel\": 1}", "{\"kernel\":\"node\",\"what\":\"x\",\"boot\":\"\",\"pid\":-1}"}) {
    std::ofstream(folder() + "/a.trace") << text;
    EXPECT_TRUE(mended(folder()).notes.empty()) << text;
    EXPECT_EQ(files(), 0u) << text;
  }
  std::filesystem::create_symlink("/etc/passwd", folder() + "/b.trace");
  EXPECT_TRUE(mended(folder()).notes.empty());
}

TEST_F(Traces, need_a_folder) {
  EXPECT_TRUE(Trace::leave("", own_note()).ok());
  EXPECT_FALSE(Trace::leave("/proc/none", own_note()).ok());
}

}  // namespace atys::capture
