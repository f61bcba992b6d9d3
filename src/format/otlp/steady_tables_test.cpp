// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/steady_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "format/otlp/binary_codec.h"
#include "format/otlp/from_profile.h"
#include "format/otlp/to_profile.h"
#include "support/profile_text.h"

namespace atys::format::otlp {

namespace {

message::ProfilesData message_of(const std::string& text) { return *from_profile(test::profile_from_text(text)); }

message::ProfilesData written(SteadyTables& tables, const std::string& text) {
  const auto bytes = tables.write(message_of(text));
  CHECK(bytes.ok());
  return *decode_binary(*bytes);
}

std::string text_of(const message::ProfilesData& data) { return test::to_text(*to_profile({data})); }

size_t place_of(const message::ProfilesData& data, const std::string& name) {
  const auto& strings = data.dictionary.string_table;
  return static_cast<size_t>(std::find(strings.begin(), strings.end(), name) - strings.begin());
}

}  // namespace

TEST(steady_tables, a_message_says_what_it_said) {
  SteadyTables tables;
  EXPECT_EQ(text_of(written(tables, "main;f 3\nmain;g 1\n")), "main;f 3\nmain;g 1\n");
  EXPECT_EQ(text_of(written(tables, "main;h 2\nmain;f 5\n")), "main;f 5\nmain;h 2\n");
  EXPECT_EQ(text_of(written(tables, "main;f 3\nmain;g 1\n")), "main;f 3\nmain;g 1\n");
}

TEST(steady_tables, entries_keep_their_places) {
  SteadyTables tables;
  const message::ProfilesData first = written(tables, "main;f 3\nmain;g 1\n");
  const message::ProfilesData second = written(tables, "other;h 2\nmain;g 5\n");
  const auto& before = first.dictionary.string_table;
  const auto& after = second.dictionary.string_table;
  ASSERT_GT(after.size(), before.size());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  const auto& stacks = first.dictionary.stack_table;
  for (size_t i = 0; i < stacks.size(); ++i)
    EXPECT_EQ(stacks[i].location_indices, second.dictionary.stack_table[i].location_indices) << i;
}

TEST(steady_tables, what_is_not_used_any_more_makes_room_for_what_is_new) {
  SteadyTables tables({.keep_messages = 2});
  const size_t place = place_of(written(tables, "main;gone 1\nmain;stays 1\n"), "gone");
  for (int i = 0; i < 2; ++i) written(tables, "main;stays 1\n");
  const message::ProfilesData without = written(tables, "main;stays 1\n");
  EXPECT_EQ(without.dictionary.string_table.at(place), "");
  const message::ProfilesData with = written(tables, "main;stays 1\nmain;fresh 2\n");
  EXPECT_EQ(with.dictionary.string_table.at(place), "fresh");
  EXPECT_EQ(with.dictionary.stack_table.size(), without.dictionary.stack_table.size());
  EXPECT_EQ(text_of(with), "main;fresh 2\nmain;stays 1\n");
}

TEST(steady_tables, whatever_comes_their_size_is_bounded) {
  SteadyTables tables({.keep_messages = 1000, .most_bytes = 5000});
  for (int i = 0; i < 100; ++i) {
    const std::string text = "main;a_function_with_a_name_of_some_length_" + std::to_string(i) + " 1\n";
    EXPECT_EQ(text_of(written(tables, text)), text);
    EXPECT_LT(tables.table_bytes(), 6000u);
  }
}

TEST(steady_tables, columns_of_one_row_stay_together) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  for (int i = 0; i < 20; ++i) {
    const std::array frames{profile.named_frame("f" + std::to_string(i)), profile.named_frame("main")};
    const std::array<int64_t, 2> values{(i * 7) % 5 + 1, 1000 - i};
    profile.samples.add(profile.stacks.intern(frames), profile.label_set({}), values);
  }
  SteadyTables tables;
  const auto bytes = tables.write(*from_profile(profile));
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(equivalent(*to_profile({*decode_binary(*bytes)}), profile));
}

TEST(steady_tables, the_oldest_form_is_not_written) {
  message::ProfilesData data = message_of("main;f 3\n");
  data.resource_profiles.at(0).scope_profiles.at(0).profiles.at(0).comment_strindices = {1};
  EXPECT_FALSE(SteadyTables().write(std::move(data)).ok());
}

TEST(steady_tables, an_index_beyond_its_table_is_an_error) {
  message::ProfilesData data = message_of("main;f 3\n");
  data.resource_profiles.at(0).scope_profiles.at(0).profiles.at(0).samples.at(0).stack_index = 99;
  EXPECT_FALSE(SteadyTables().write(std::move(data)).ok());
}

}  // namespace atys::format::otlp
