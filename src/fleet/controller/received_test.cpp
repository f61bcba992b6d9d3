// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/received.h"

#include <gtest/gtest.h>

#include <set>

#include "fleet/controller/kind_names.h"
#include "fleet/window_labels.h"
#include "reduce/merge.h"
#include "support/fleet_windows.h"

namespace atys::fleet {

namespace {

using test::SentWindow;

constexpr int64_t kNow = 1'790'000'000'000'000'000;

Received read(const std::string& bytes, OtlpEncoding encoding = OtlpEncoding::Protobuf) {
  auto received = read_windows(bytes, encoding, {.earliest_ns = kNow - 1000, .latest_ns = kNow + 1000, .now_ns = kNow});
  CHECK(received.ok());
  return received.take();
}

SentWindow from_agent(const std::string& instance, const std::string& stacks) {
  return {.stacks = stacks,
          .attributes = {{std::string(kServiceName), "shop"},
                         {std::string(kServiceVersion), "1.2"},
                         {std::string(kServiceInstance), instance},
                         {std::string(kHostName), "web-1"},
                         {std::string(kContainerId), "c0ffee"},
                         {std::string(kTaskName), "busy"},
                         {std::string(kStretch), "3"},
                         {std::string(kSender), "00112233445566778899aabbccddeeff"},
                         {std::string(kSequence), "7"}},
          .start_ns = kNow,
          .period_ns = 10};
}

std::string label(const store::Window& window, std::string_view key) {
  for (const auto& [name, value] : window.labels)
    if (name == key) return value;
  return "(none)";
}

}  // namespace

TEST(received, an_agents_message_is_a_window_for_each_instance) {
  const Profile both = reduce::merge(test::labelled_profile(from_agent("a", "main;f 30\n")),
                                     test::labelled_profile(from_agent("b", "main;g 50\n")));
  const Received received = read(test::otlp_bytes(both));
  ASSERT_EQ(received.windows.size(), 2u);
  const store::Window& first = received.windows[0];
  EXPECT_EQ(first.service, "shop");
  EXPECT_EQ(first.version, "1.2");
  EXPECT_EQ(first.node, "web-1");
  EXPECT_EQ(first.kind, "cpu");
  EXPECT_EQ(first.start_ns, kNow);
  EXPECT_EQ(label(first, kContainerId), "c0ffee");
  EXPECT_EQ(label(first, kTaskName), "busy");
  EXPECT_EQ(label(first, kSequence), "(none)");
  EXPECT_TRUE(store::to_text(first.stretch).starts_with("00112233/busy/3@")) << store::to_text(first.stretch);
  EXPECT_EQ(label(first, kStretch), "(none)");
  EXPECT_NE(first.id, received.windows[1].id);
  EXPECT_EQ(std::set({first.instance, received.windows[1].instance}), (std::set<std::string>{"a", "b"}));
  // Nothing of the resource is left on the samples, so windows add up.
  EXPECT_EQ(test::to_text(first.profile), first.instance == "a" ? "main;f 3 30\n" : "main;g 5 50\n");
  EXPECT_EQ(read(test::otlp_bytes(both)).windows[0].id, first.id);
}

TEST(received, ids_come_from_the_sender_or_else_from_the_content) {
  SentWindow window{.stacks = "main;f 3\n", .attributes = {{"service.name", "shop"}}, .start_ns = kNow};
  const store::Id by_content = read(test::otlp_bytes(window)).windows[0].id;
  EXPECT_EQ(read(test::otlp_bytes(window)).windows[0].id, by_content);
  window.stacks = "main;f 4\n";
  EXPECT_NE(read(test::otlp_bytes(window)).windows[0].id, by_content);
  window.id = std::string(16, 'i');
  const store::Id by_id = read(test::otlp_bytes(window)).windows[0].id;
  window.stacks = "main;f 5\n";
  EXPECT_EQ(read(test::otlp_bytes(window)).windows[0].id, by_id);
  window.id = std::string(16, 'j');
  EXPECT_NE(read(test::otlp_bytes(window)).windows[0].id, by_id);
}

TEST(received, what_others_leave_out_gets_what_the_conventions_have) {
  const store::Window nameless = read(test::otlp_bytes(SentWindow{.stacks = "f 1\n"})).windows.at(0);
  EXPECT_EQ(nameless.service, "unknown_service");
  EXPECT_EQ(nameless.start_ns, kNow);
  const SentWindow process{.stacks = "f 1\n",
                           .attributes = {{"process.executable.name", "nginx"}, {"k8s.pod.name", "p-1"}, {"secret", "x"}}};
  const store::Window pod = read(test::otlp_bytes(process)).windows.at(0);
  EXPECT_EQ(pod.service, "unknown_service:nginx");
  EXPECT_EQ(pod.instance, "p-1");
  EXPECT_EQ(label(pod, "secret"), "(none)");
}

TEST(received, a_window_without_samples_is_of_who_sent_it) {
  const Received idle = read(test::otlp_bytes(from_agent("a", "")));
  ASSERT_EQ(idle.windows.size(), 1u);
  EXPECT_EQ(idle.windows[0].service, "shop");
  EXPECT_EQ(idle.windows[0].instance, "a");
  EXPECT_EQ(idle.windows[0].kind, "cpu");
  const Received json = read(test::otlp_bytes(test::labelled_profile(from_agent("a", "")), "otlp-json"), OtlpEncoding::Json);
  ASSERT_EQ(json.windows.size(), 1u);
  EXPECT_EQ(json.windows[0].id, idle.windows[0].id);
  // Who says nothing of himself and saw nothing has said nothing.
  const Received nothing = read(test::otlp_bytes(SentWindow{.start_ns = kNow}));
  EXPECT_TRUE(nothing.windows.empty());
  EXPECT_EQ(nothing.rejected, 0u);
}

TEST(received, who_profiles_a_host_says_of_each_sample_whose_it_is) {
  Profile host = test::labelled_profile({.stacks = "a 1\nb 2\nc 4\nd 8\n", .start_ns = kNow, .id = std::string(16, 'i')});
  Profile sent;
  profile::Importer importer(host, sent);
  importer.copy_header();
  sent.add_loss("a ring was full", 3);
  const std::vector<std::vector<std::pair<std::string_view, std::string_view>>> told{
      {{kServiceName, "shop"}, {kProgramName, "java"}}, {{kProgramName, "nginx"}}, {}, {{kServiceName, "shop"}}};
  for (size_t row = 0; row < told.size(); ++row) {
    std::vector<profile::LabelId> labels;
    for (const auto& [key, value] : told[row]) labels.push_back(sent.string_label(key, value));
    sent.samples.add(importer.stack(host.samples.stack(row)), sent.label_set(std::move(labels)),
                     std::vector<int64_t>{host.samples.value(row, 0)});
  }
  const Received received = read(test::otlp_bytes(sent));
  std::map<std::string, int64_t> values;
  std::set<store::Id> ids;
  uint64_t lost = 0;
  for (const store::Window& window : received.windows) {
    for (size_t row = 0; row < window.profile.samples.size(); ++row)
      values[window.service] += window.profile.samples.value(row, 0);
    for (const profile::Loss& loss : window.profile.losses) lost += loss.count;
    ids.insert(window.id);
  }
  EXPECT_EQ(values, (std::map<std::string, int64_t>{{"shop", 9}, {"unknown_service:nginx", 2}, {"unknown_service", 4}}));
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_EQ(lost, 3u) << "a loss is told once";
  EXPECT_EQ(read(test::otlp_bytes(sent)).windows[1].id, received.windows[1].id);
}

TEST(received, a_host_of_ever_new_programs_is_not_a_service_for_each) {
  Profile sent;
  sent.add_value_type("cpu", "nanoseconds");
  sent.header.time_ns = kNow;
  const profile::FrameId frame = sent.named_frame("f");
  const profile::StackId stack = sent.stacks.intern({&frame, 1});
  for (int i = 0; i < 2000; ++i)
    sent.samples.add(stack, sent.label_set({sent.string_label(kProgramName, "p" + std::to_string(i))}),
                     std::vector<int64_t>{1});
  const Received received = read(test::otlp_bytes(sent));
  EXPECT_EQ(received.windows.size(), 500u);
  int64_t total = 0;
  for (const store::Window& window : received.windows)
    for (size_t row = 0; row < window.profile.samples.size(); ++row) total += window.profile.samples.value(row, 0);
  EXPECT_EQ(total, 2000);
}

TEST(received, counts_of_cpu_samples_become_cpu_time) {
  Profile counts = test::labelled_profile({.stacks = "f 3\n", .start_ns = kNow, .type = "samples", .unit = "count"});
  counts.header.default_value_type = {};
  counts.header.period = 50;
  counts.header.period_type = {counts.strings.intern("cpu"), counts.strings.intern("nanoseconds")};
  const store::Window window = read(test::otlp_bytes(counts)).windows.at(0);
  EXPECT_EQ(window.kind, "cpu");
  EXPECT_EQ(test::to_text(window.profile), "f 3 150\n");
  EXPECT_EQ(window.profile.default_value_column(), 1u);
}

TEST(received, windows_of_the_wrong_time_are_rejected_and_the_others_are_not) {
  const Profile old =
      test::labelled_profile({.stacks = "f 1\n", .attributes = {{"service.name", "a"}}, .start_ns = kNow - 5000});
  EXPECT_EQ(read(test::otlp_bytes(old)).rejected, 1u);
  EXPECT_NE(read(test::otlp_bytes(old)).why.find("older"), std::string::npos);
  const Profile early = test::labelled_profile({.stacks = "f 1\n", .start_ns = kNow + 5000});
  EXPECT_EQ(read(test::otlp_bytes(early)).rejected, 1u);
}

TEST(received, json_says_the_same) {
  const Profile profile = test::labelled_profile(from_agent("a", "main;f 30\n"));
  const Received json = read(test::otlp_bytes(profile, "otlp-json"), OtlpEncoding::Json);
  ASSERT_EQ(json.windows.size(), 1u);
  EXPECT_EQ(json.windows[0].id, read(test::otlp_bytes(profile)).windows[0].id);
}

TEST(received, bytes_that_are_no_message_are_refused) {
  for (const char* bytes : {"nonsense", "\x0a\x05\x0a", "{}"})
    EXPECT_FALSE(read_windows(bytes, OtlpEncoding::Protobuf, {}).ok()) << bytes;
  EXPECT_TRUE(read_windows("", OtlpEncoding::Protobuf, {})->windows.empty());
  EXPECT_FALSE(read_windows("[1", OtlpEncoding::Json, {}).ok());
}

TEST(received, a_message_of_millions_of_tiny_samples_is_refused_before_it_is_decoded) {
  std::string samples;
  for (int i = 0; i < 2'100'000; ++i) samples += std::string("\x12\x00", 2);
  const auto nest = [](char tag, const std::string& inner) {
    std::string out(1, tag);
    for (size_t size = inner.size(); true; size >>= 7) {
      out += static_cast<char>((size & 127) | (size > 127 ? 128 : 0));
      if (size <= 127) break;
    }
    return out + inner;
  };
  const auto received = read_windows(nest('\x0a', nest('\x12', nest('\x12', samples))), OtlpEncoding::Protobuf, {});
  ASSERT_FALSE(received.ok());
  EXPECT_EQ(received.error().code, ErrorCode::ResourceExhausted);
}

TEST(kind_names, are_ours_whoever_sent_them) {
  EXPECT_EQ(kind_of("cpu", "nanoseconds", ""), "cpu");
  EXPECT_EQ(kind_of("samples", "count", "cpu"), "cpu");
  EXPECT_EQ(kind_of("off_cpu", "nanoseconds", ""), "off-cpu");
  EXPECT_EQ(kind_of("waits", "count", ""), "");
  EXPECT_EQ(kind_of("alloc_space", "bytes", "space"), "alloc");
  EXPECT_EQ(kind_of("samples", "count", ""), "");
  EXPECT_EQ(kind_of("cache-misses", "count", ""), "event:cache-misses");
}

}  // namespace atys::fleet
