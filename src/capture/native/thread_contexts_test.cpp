// SPDX-License-Identifier: Apache-2.0
#include "capture/native/thread_contexts.h"

#include <gtest/gtest.h>

#include <cstring>

#include "capture/native/no_source.h"

namespace atys::capture::native {
namespace {

class FakeFinder final : public ContextFinder {
 public:
  std::optional<Found> find_context(pid_t) override {
    ++times_asked;
    return found;
  }
  std::optional<Found> found;
  int times_asked = 0;
};

struct Attribute {
  uint8_t key;
  std::string value;
};

std::vector<std::byte> record(char trace, char span, const std::vector<Attribute>& attributes) {
  std::string bytes(16, trace);
  bytes += std::string(8, span) + '\1' + '\0';
  std::string rest;
  for (const Attribute& one : attributes)
    rest += std::string(1, static_cast<char>(one.key)) + static_cast<char>(one.value.size()) + one.value;
  const auto size = static_cast<uint16_t>(rest.size());
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += rest;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

class ThreadContextsTest : public testing::Test {
 protected:
  ThreadContextsTest() {
    contexts_.set_finder(&finder_);
    process_.pid = 42;
    finder_.found = ContextFinder::Found{.place = {.kind = ATYS_AT_THREAD_POINTER}, .keys = {"http.route"}, .resource = {}};
    contexts_.look_at(process_, 1);
  }
  ThreadContexts::Labels labels(const std::vector<std::byte>& bytes) {
    return contexts_.labels(contexts_.number_of(process_, bytes, now_ns_));
  }

  NoSource source_{};
  FakeFinder finder_;
  ThreadContexts contexts_{source_};
  Process process_;
  uint64_t now_ns_ = 1'000'000'000;
};

using Labels = ThreadContexts::Labels;

TEST_F(ThreadContextsTest, makes_labels_of_what_a_thread_published) {
  EXPECT_EQ(
      labels(record('\x1a', '\x02', {{0, "/login"}})),
      (Labels{{"trace_id", "1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a"}, {"span_id", "0202020202020202"}, {"http.route", "/login"}}));
  EXPECT_EQ(labels(record('\0', '\0', {{0, "/a"}, {0, "/b"}})), (Labels{{"http.route", "/b"}})) << "the last one counts";
  EXPECT_EQ(labels(record('\0', '\0', {})), Labels{});
  EXPECT_EQ(labels({}), Labels{});
}

TEST_F(ThreadContextsTest, gives_the_same_labels_the_same_number) {
  const uint32_t one = contexts_.number_of(process_, record('\1', '\1', {}), now_ns_);
  const uint32_t two = contexts_.number_of(process_, record('\1', '\2', {}), now_ns_);
  EXPECT_NE(one, 0u);
  EXPECT_NE(one, two);
  EXPECT_EQ(contexts_.number_of(process_, record('\1', '\1', {}), now_ns_), one);
}

TEST_F(ThreadContextsTest, asks_again_for_keys_that_it_does_not_know_but_not_all_the_time) {
  EXPECT_EQ(finder_.times_asked, 1);
  EXPECT_EQ(labels(record('\0', '\0', {{1, "gold"}})), Labels{});
  EXPECT_EQ(finder_.times_asked, 2);
  EXPECT_FALSE(contexts_.losses().empty());
  finder_.found->keys.push_back("user.tier");
  EXPECT_EQ(labels(record('\0', '\0', {{1, "gold"}})), Labels{}) << "too soon";
  now_ns_ += 1'000'000'000;
  EXPECT_EQ(labels(record('\0', '\0', {{1, "gold"}})), (Labels{{"user.tier", "gold"}}));
}

TEST_F(ThreadContextsTest, stops_at_an_attribute_that_is_cut) {
  auto bytes = record('\1', '\1', {{0, "/login"}});
  bytes[ATYS_CONTEXT_SIZE_AT] = std::byte{5};
  EXPECT_EQ(labels(bytes).size(), 2u);
  bytes[ATYS_CONTEXT_SIZE_AT] = std::byte{255};  // more than there is
  EXPECT_EQ(labels(bytes).size(), 3u);
  bytes.resize(20);
  EXPECT_EQ(labels(bytes), Labels{});
}

TEST_F(ThreadContextsTest, reads_labels_of_goroutines_and_marks_what_was_cut) {
  process_.context.is_go = true;
  atys_go_label label{.key_length = 5, .value_length = 200};
  std::memcpy(label.key, "route", 5);
  std::memset(label.value, 'x', sizeof label.value);
  std::vector<std::byte> bytes(sizeof label);
  std::memcpy(bytes.data(), &label, sizeof label);
  EXPECT_EQ(labels(bytes), (Labels{{"route", std::string(ATYS_GO_VALUE, 'x') + "…"}}));
}

TEST_F(ThreadContextsTest, forgets_what_a_program_published_that_has_become_another) {
  ASSERT_NE(contexts_.number_of(process_, record('\1', '\1', {}), now_ns_), 0u);
  process_.context = {};  // as the table of processes does it
  EXPECT_EQ(contexts_.number_of(process_, record('\1', '\1', {}), now_ns_), 0u);
  contexts_.look_at(process_, now_ns_);
  EXPECT_NE(contexts_.number_of(process_, record('\1', '\1', {}), now_ns_), 0u);
}

TEST(thread_contexts, looks_again_for_a_while_where_nothing_is_published) {
  NoSource source{};
  FakeFinder finder;
  ThreadContexts contexts(source);
  contexts.set_finder(&finder);
  Process process;
  for (uint64_t ms = 0; ms < 200'000; ++ms) contexts.look_at(process, ms * 1'000'000);
  EXPECT_EQ(finder.times_asked, 7);
}

}  // namespace
}  // namespace atys::capture::native
