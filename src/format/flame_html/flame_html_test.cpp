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

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

}  // namespace

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
  EXPECT_EQ(data["nodes"]["shape"], "AAAB");        // child, child, sibling
  EXPECT_EQ(data["nodes"]["self"][0], "AAAGAg==");  // 0 0 3 1, zigzag
  const auto& strings = data["strings"];
  EXPECT_NE(std::find(strings.begin(), strings.end(), "parse"), strings.end());
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
    EXPECT_EQ(data_of(page)["nodes"]["self"].size(), profile.value_types().size());
  }
}

}  // namespace atys::format
