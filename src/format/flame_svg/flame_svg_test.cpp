// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "format/format.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::format {

namespace {

std::string svg_of(const Profile& profile, const WriteOptions& options = {}) {
  StringSink sink;
  EXPECT_TRUE(find_format("svg")->write(profile, options, sink).ok());
  return sink.take();
}

// Every `<` opens or closes one of the elements that we write, every `&` begins a reference, elements are closed in order.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  size_t at = svg.find("?>");
  ASSERT_NE(at, std::string::npos);
  while ((at = svg.find('<', at + 1)) != std::string::npos) {
    const size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with('/');
    const std::string name = tag.substr(closes ? 1 : 0, tag.find_first_of(" /", 1) - (closes ? 1 : 0));
    ASSERT_TRUE(name == "svg" || name == "style" || name == "rect" || name == "g" || name == "title" || name == "text")
        << tag;
    if (tag.ends_with('/')) continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty());
    ASSERT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  for (at = 0; (at = svg.find('&', at)) != std::string::npos; ++at) {
    const std::string reference = svg.substr(at, svg.find(';', at) - at + 1);
    EXPECT_TRUE(reference == "&lt;" || reference == "&gt;" || reference == "&amp;" || reference == "&quot;" ||
                reference == "&#39;")
        << reference;
  }
}

}  // namespace

TEST(flame_svg, shows_frames_with_their_values) {
  const std::string svg = svg_of(test::profile_from_text("main;parse 3\nmain;run 1", "cpu", "count"),
                                 {.value_column = {}, .title = "a & b", .inverted = false});
  expect_well_formed(svg);
  EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
  EXPECT_NE(svg.find("<title>parse: total 3 (75%), self 3 (75%)</title>"), std::string::npos);
  EXPECT_EQ(svg.find("left out"), std::string::npos);
}

TEST(flame_svg, says_what_it_leaves_out) {
  const std::string svg = svg_of(test::profile_from_text("a 1000000\nb;c 1"));
  EXPECT_NE(svg.find("2 frames; 2 more, each narrower than 0.5 px, are left out"), std::string::npos) << svg;
}

TEST(flame_svg, shows_losses) {
  Profile profile = test::profile_from_text("a 1");
  profile.add_loss("ring-full <x>", 1234);
  EXPECT_NE(svg_of(profile).find("ring-full &lt;x&gt; 1,234"), std::string::npos);
}

TEST(flame_svg, can_have_callees_first) {
  const std::string svg =
      svg_of(test::profile_from_text("main;leaf 3"), {.value_column = {}, .title = {}, .inverted = true});
  EXPECT_LT(svg.find("<title>leaf"), svg.find("<title>main"));
}

namespace {

std::string comparison_of(const Profile& base, const Profile& fresh, ComparedWidths widths, bool is_absolute = false) {
  const Comparison comparison{
      .base = &base, .base_name = "a<b", .new_name = "after", .widths = widths, .is_absolute = is_absolute};
  return svg_of(fresh, {.value_column = {}, .title = {}, .inverted = false, .comparison = comparison});
}

}  // namespace

TEST(flame_svg, shows_what_changed) {
  const Profile base = test::profile_from_text("main;parse 3000\nmain;old 1000");
  const Profile fresh = test::profile_from_text("main;parse 1000\nmain;run 3000");
  const std::string svg = comparison_of(base, fresh, ComparedWidths::New);
  expect_well_formed(svg);
  EXPECT_NE(svg.find("a&lt;b → after"), std::string::npos);
  EXPECT_NE(svg.find("<title>parse: total before 3,000 (75%), after 1,000 (25%), -50.00 points (-66.7%)"), std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<title>run: total before 0 (0%), after 3,000 (75%), +75.00 points (new)"), std::string::npos);
  EXPECT_EQ(svg.find("<title>old"), std::string::npos);
  EXPECT_NE(svg.find("twice or more"), std::string::npos);
}

TEST(flame_svg, shows_what_is_gone_as_wide_as_it_was) {
  const Profile base = test::profile_from_text("main;parse 3000\nmain;old 1000");
  const Profile fresh = test::profile_from_text("main;parse 1000\nmain;run 3000");
  for (const ComparedWidths widths : {ComparedWidths::Base, ComparedWidths::Either}) {
    const std::string svg = comparison_of(base, fresh, widths);
    EXPECT_NE(svg.find("<title>old: total before 1,000 (25%), after 0 (0%), -25.00 points (gone)"), std::string::npos);
    EXPECT_EQ(svg.find("<title>run") == std::string::npos, widths == ComparedWidths::Base);
  }
}

TEST(flame_svg, compares_values_if_asked) {
  const Profile base = test::profile_from_text("main;parse 1000");
  const Profile fresh = test::profile_from_text("main;parse 2000");
  EXPECT_NE(comparison_of(base, fresh, ComparedWidths::New, true).find("+1,000 (+100.0%)"), std::string::npos);
  EXPECT_NE(comparison_of(base, fresh, ComparedWidths::New, false)
                .find("<title>parse: total before 1,000 (100%), after 2,000 (100%), no change;"),
            std::string::npos);
}

TEST(flame_svg, comparisons_are_well_formed_whatever_the_profiles) {
  const std::vector<Profile> profiles = test::generate_profiles(4);
  for (size_t i = 0; i + 1 < profiles.size(); ++i) {
    if (profiles[i].value_types().empty() || profiles[i + 1].value_types().empty()) continue;
    for (const bool is_absolute : {false, true})
      expect_well_formed(comparison_of(profiles[i], profiles[i + 1], ComparedWidths::Either, is_absolute));
  }
}

TEST(flame_svg, is_well_formed_whatever_the_profile) {
  expect_well_formed(svg_of({}));
  for (const Profile& profile : test::generate_profiles(3)) {
    for (const bool inverted : {false, true}) {
      const std::string svg = svg_of(profile, {.value_column = {}, .title = "</svg>\xff", .inverted = inverted});
      expect_well_formed(svg);
      EXPECT_EQ(svg.find("<b>"), std::string::npos);
    }
  }
}

}  // namespace atys::format
