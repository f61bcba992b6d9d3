// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "format/format.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::format {

namespace {

constexpr std::string_view kDataBegin = "<script id=\"data\" type=\"application/json\">";

std::string page_of(const Profile& profile, const WriteOptions& options = {}) {
  StringSink sink;
  EXPECT_TRUE(find_format("html")->write(profile, options, sink).ok());
  return sink.take();
}

std::string data_text(const std::string& page) {
  const size_t begin = page.find(kDataBegin) + kDataBegin.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

Json data_of(const std::string& page) {
  auto data = parse_json(data_text(page));
  EXPECT_TRUE(data.ok()) << data.error().message;
  return data.ok() ? data.take() : Json::object();
}

using Numbers = std::vector<uint64_t>;

// What VarintColumn wrote.
Numbers numbers_of(const std::string& base64) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(kDigits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xff));
  }
  Numbers numbers;
  uint64_t number = 0;
  int shift = 0;
  for (const char byte : bytes) {
    number |= uint64_t{static_cast<uint8_t>(byte) & 0x7fu} << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    numbers.push_back(number);
    number = 0;
    shift = 0;
  }
  return numbers;
}

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST(flame_html, has_a_colour_for_frames_of_every_language) {
  const std::string page = page_of(test::profile_from_text("a 1\n"));
  const size_t begin = page.find("const KIND_HUES = ");
  ASSERT_NE(begin, std::string::npos);
  const std::string hues = page.substr(begin, page.find('\n', begin) - begin);
  for (const char* kind : {"\"kernel\":30", "\"cpython\":100", "\"v8js\":140", "\"rust\":", "\"dotnet\":"})
    EXPECT_NE(hues.find(kind), std::string::npos) << kind << " in " << hues;
}

TEST(flame_html, carries_the_tree_and_the_facts) {
  Profile profile = test::profile_from_text("main;parse 3\nmain;run 1", "cpu", "nanoseconds");
  profile.header.duration_ns = 5;
  profile.add_loss("ring-full", 7);
  const Json data = data_of(page_of(profile, {.value_column = {}, .title = "my title", .inverted = true}));
  EXPECT_EQ(data["title"], "my title");
  EXPECT_EQ(data["inverted"], true);
  EXPECT_EQ(data["durationNs"], 5);
  EXPECT_EQ(data["losses"][0]["reason"], "ring-full");
  EXPECT_EQ(data["losses"][0]["count"], 7);
  EXPECT_EQ(data["valueTypes"][0]["unit"], "nanoseconds");
  EXPECT_EQ(data["nodes"]["count"], 4);
  EXPECT_EQ(numbers_of(data["nodes"]["shape"]), (Numbers{0, 0, 1}));  // child, child, sibling
  EXPECT_EQ(numbers_of(data["rows"]["runs"]), (Numbers{0, 2}));       // two rows of the only context
  EXPECT_EQ(numbers_of(data["rows"]["place"]), (Numbers{4, 2}));      // nodes 2 and 3, each after the one before, zigzag
  EXPECT_EQ(numbers_of(data["rows"]["values"][0]), (Numbers{6 + 1, 2 + 1}));  // 3 and 1, zigzag, one higher
  EXPECT_FALSE(data.contains("places"));
  EXPECT_FALSE(data["rows"].contains("time"));
  EXPECT_FALSE(data.contains("base"));
  const auto& strings = data["strings"];
  EXPECT_NE(std::find(strings.begin(), strings.end(), "parse"), strings.end());
}

TEST(flame_html, carries_lines_where_they_are_known) {
  Profile profile;
  profile.add_value_type("samples", "count");
  for (const int64_t line : {7, 9}) {
    const auto frame = profile.named_frame("main", "main.c", line);
    profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&line, 1});
  }
  const Json data = data_of(page_of(profile));
  EXPECT_EQ(data["nodes"]["count"], 2);
  EXPECT_EQ(data["places"]["count"], 3);
  EXPECT_EQ(numbers_of(data["places"]["more"]), (Numbers{0, 1}));
  EXPECT_EQ(numbers_of(data["places"]["line"]), (Numbers{14, 4}));  // 7, and 2 more, zigzag
}

TEST(flame_html, carries_threads_and_times) {
  Profile profile;
  profile.add_value_type("samples", "count");
  const auto frame = profile.named_frame("main");
  const int64_t value = 1;
  for (const int64_t time : {1'000'000, 3'000'000, 2'000'000}) {
    const char* thread = time == 3'000'000 ? "b" : "a";
    profile.samples.add(profile.stacks.intern({&frame, 1}), profile.label_set({profile.string_label("thread.name", thread)}),
                        {&value, 1}, time);
  }
  const Json data = data_of(page_of(profile));
  EXPECT_EQ(data["facets"][0]["kind"], "thread");
  EXPECT_EQ(data["facets"][0]["values"], Json({"a", "b"}));
  EXPECT_EQ(data["timeStepNs"], 1);
  EXPECT_EQ(numbers_of(data["rows"]["runs"]), (Numbers{0, 2, 1, 1}));
  EXPECT_EQ(numbers_of(data["rows"]["time"]), (Numbers{1, 1'000'000, 2'000'001}));
}

TEST(flame_html, compares_two_profiles) {
  const Profile base = test::profile_from_text("main;parse 300\nmain;old 100");
  const Profile fresh = test::profile_from_text("main;parse 100\nmain;run 300");
  Comparison comparison{.base = &base, .base_name = "before", .new_name = "after"};
  const Json data = data_of(page_of(fresh, {.value_column = {}, .title = {}, .inverted = false, .comparison = comparison}));
  EXPECT_EQ(data["title"], "before → after");
  EXPECT_EQ(data["nodes"]["count"], 5);
  EXPECT_EQ(data["base"]["samples"], 400);
  EXPECT_EQ(data["base"]["rows"]["count"], 2);
  EXPECT_EQ(data["comparison"]["baseSamples"][0], 400.0);
  // Every function but main changed by more than chance explains: self and total.
  Numbers significant = numbers_of(data["comparison"]["significant"]);
  std::ranges::sort(significant);
  EXPECT_EQ(significant, (Numbers{0, 0, 3, 3, 3}));
}

TEST(flame_html, holds_the_largest_part_of_what_is_too_large_for_a_page) {
  Profile profile;
  profile.add_value_type("samples", "count");
  for (int64_t i = 0; i < 600'000; ++i) {
    const auto frame = profile.named_frame("f" + std::to_string(i));
    const int64_t value = i % 2 == 0 ? 1000 : 1;
    profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&value, 1});
  }
  const std::string page = page_of(profile);
  EXPECT_LT(page.size(), 20u << 20u);
  const Json data = data_of(page);
  EXPECT_LE(data["nodes"]["count"], 500'000);
  EXPECT_GT(data["nodes"]["count"], 100'000);
  EXPECT_GT(data["nodes"]["folded"], 100'000);
}

TEST(flame_html, cuts_names_that_nobody_would_read) {
  Profile profile = test::profile_from_text("a 1");
  const std::string name = "start" + std::string(1'000'000, 'x');
  const auto frame = profile.named_frame(name);
  const int64_t value = 1;
  profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&value, 1});
  const std::string page = page_of(profile);
  EXPECT_LT(page.size(), 400'000u);
  EXPECT_NE(page.find("startxxx"), std::string::npos);
}

TEST(flame_html, needs_no_other_resource) {
  const std::string page = page_of(test::profile_from_text("a 1"));
  for (const char* reference : {"src=", "href=", "@import", "url(", "fetch(", "http:", "https:"})
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST(flame_html, names_cannot_break_out) {
  constexpr const char* kHostile = "</script><b onload=alert(1)><!--<script>{{data}}";
  Profile profile = test::profile_from_text("a 1");
  const auto frame = profile.named_frame(kHostile, kHostile, 1, kHostile);
  const int64_t value = 1;
  profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&value, 1});
  profile.add_loss(kHostile, 1);
  profile.add_fact(kHostile, kHostile);
  profile.add_comment(kHostile);
  const std::string page = page_of(profile, {.value_column = {}, .title = kHostile, .inverted = false});
  const std::string plain = page_of(test::profile_from_text("a 1"));
  EXPECT_EQ(data_text(page).find('<'), std::string::npos);
  EXPECT_EQ(count_of(page, "<script"), count_of(plain, "<script"));
  EXPECT_EQ(count_of(page, "</script"), count_of(plain, "</script"));
  EXPECT_EQ(count_of(page, "<!--"), count_of(plain, "<!--"));
  EXPECT_EQ(count_of(page, "<b"), count_of(plain, "<b"));
  EXPECT_EQ(data_of(page)["title"], kHostile);
}

TEST(flame_html, takes_every_profile) {
  EXPECT_EQ(data_of(page_of({}))["nodes"]["count"], 1);
  for (const Profile& profile : test::generate_profiles(5)) {
    const std::string page = page_of(profile);
    EXPECT_EQ(data_text(page).find('<'), std::string::npos);
    EXPECT_EQ(data_of(page)["rows"]["values"].size(), profile.value_types().size());
  }
}

}  // namespace atys::format
