// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/window.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/byte_source.h"
#include "fleet/controller/received.h"
#include "fleet/window_labels.h"
#include "format/format.h"
#include "support/profile_text.h"

namespace atys::fleet {

namespace {

// Two threads of one process and one of another, in the same two stacks; one of them waits.
Profile recorded() {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  profile.header.time_ns = 1'700'000'000'000'000'000;
  profile.header.duration_ns = 1'000'000'000;
  const auto add = [&](const char* leaf, int64_t pid, int64_t tid, const char* wait) {
    const std::array frames{profile.named_frame(leaf), profile.named_frame("main")};
    std::vector<profile::LabelId> labels{profile.int_label("process.pid", pid), profile.int_label("thread.id", tid),
                                         profile.string_label("thread.name", "t" + std::to_string(tid))};
    if (wait != nullptr) labels.push_back(profile.string_label("wait", wait));
    profile.samples.add(profile.stacks.intern(frames), profile.label_set(labels), std::array<int64_t, 2>{1, 10});
  };
  add("hot", 1, 11, nullptr);
  add("hot", 1, 12, nullptr);
  add("cold", 1, 12, "lock");
  add("hot", 2, 21, nullptr);
  profile.add_loss("a ring was full", 3);
  return profile;
}

const WindowOrigin kOrigin{.service = "shop", .node = "n1", .task = "t", .sender = "00ff", .sequence = 7, .stretch = 2};

Instance numbered(pid_t pid) { return {.id = std::to_string(pid), .version = "v1"}; }

}  // namespace

TEST(window, threads_of_an_instance_become_one) {
  const Profile window = outgoing_window(recorded(), kOrigin, numbered);
  EXPECT_EQ(window.samples.size(), 3u);
  const std::string text = test::to_text(window);
  EXPECT_EQ(text.find("thread."), std::string::npos) << text;
  EXPECT_EQ(text.find("process.pid"), std::string::npos) << text;
  EXPECT_NE(text.find("service.instance.id=1"), std::string::npos) << text;
  EXPECT_NE(text.find("service.instance.id=2"), std::string::npos) << text;
  EXPECT_NE(text.find("wait=lock"), std::string::npos) << text;
  EXPECT_NE(text.find(" 2 20\n"), std::string::npos) << text;
  EXPECT_EQ(window.losses.size(), 1u);
}

TEST(window, in_which_something_changed_is_cut_in_pieces) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  for (const int64_t time_ns : {100, 150, 200, 250, 300, 0}) {
    const std::array frames{profile.named_frame("main")};
    const std::array labels{profile.int_label("process.pid", 1)};
    profile.samples.add(profile.stacks.intern(frames), profile.label_set({labels.begin(), labels.end()}),
                        std::array<int64_t, 2>{1, 10}, time_ns);
  }
  WindowOrigin origin = kOrigin;
  origin.stretch = 6;
  origin.cut = adapt::Cut{150, 250};
  const std::string text = test::to_text(outgoing_window(profile, origin, numbered));
  EXPECT_EQ(outgoing_window(profile, origin, numbered).samples.size(), 3u) << text;
  EXPECT_NE(text.find("atys.stretch=5"), std::string::npos) << text;
  EXPECT_NE(text.find("atys.stretch=6"), std::string::npos) << "what may be either, and what has no time: " << text;
  EXPECT_NE(text.find("atys.stretch=7"), std::string::npos) << text;
  EXPECT_NE(text.find(" 3 30\n"), std::string::npos) << text;
  origin.began_ns = 1'700'000'000'123'000'000;
  const std::string began = test::to_text(outgoing_window(profile, origin, numbered));
  EXPECT_NE(began.find("atys.stretch=7-1700000000123"), std::string::npos) << began;
  EXPECT_NE(text.find(" 2 20\n"), std::string::npos) << text;
}

TEST(window, without_samples_is_still_of_its_service) {
  Profile idle;
  idle.add_value_type("samples", "count");
  idle.add_value_type("cpu", "nanoseconds");
  idle.header.time_ns = 1'700'000'000'000'000'000;
  idle.header.duration_ns = 1'000'000'000;
  idle.add_loss("a ring was full", 3);
  const auto received = [&](std::vector<pid_t> processes) {
    const Profile window = outgoing_window(idle, kOrigin, numbered, processes);
    Result<Received> read = read_windows(*to_otlp(window), OtlpEncoding::Protobuf, {});
    CHECK(read.ok() && read->windows.size() == 1);
    return std::move(read->windows[0]);
  };
  const store::Window alone = received({1});
  EXPECT_EQ(alone.service, "shop");
  EXPECT_EQ(alone.node, "n1");
  EXPECT_EQ(alone.version, "v1");
  EXPECT_EQ(alone.instance, "1");
  EXPECT_EQ(alone.kind, "cpu");
  EXPECT_EQ(alone.end_ns - alone.start_ns, 1'000'000'000);
  EXPECT_EQ(alone.profile.samples.size(), 0u);
  EXPECT_EQ(alone.profile.losses.size(), 1u);
  EXPECT_EQ(alone.profile.header.attributes, profile::kNoLabels) << "windows of a service are to add up";
  const store::Window of_two = received({1, 2});
  EXPECT_EQ(of_two.service, "shop");
  EXPECT_EQ(of_two.version, "v1") << "what both have";
  EXPECT_EQ(of_two.instance, "") << "what they have not in common";
  EXPECT_EQ(received({}).service, "shop");
}

TEST(window, arrives_as_it_left) {
  Profile window = outgoing_window(recorded(), kOrigin, numbered);
  window.header.id = window.strings.intern("0123456789abcdef");
  const std::string bytes = *to_otlp(window);
  const auto source = borrow_source("window", std::as_bytes(std::span(bytes)));
  const Result<Profile> read = format::read_profile(*source);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->text(read->header.id), "0123456789abcdef");
  EXPECT_TRUE(profile::equivalent(window, *read)) << test::to_text(window) << test::to_text(*read);
}

}  // namespace atys::fleet
