// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/parts.h"

#include <gtest/gtest.h>

#include "base/byte_sink.h"
#include "format/format.h"
#include "format/otlp/binary_codec.h"
#include "format/otlp/from_profile.h"
#include "format/otlp/to_profile.h"
#include "profile/import.h"
#include "reduce/merge.h"
#include "support/profile_text.h"

namespace atys::format::otlp {

namespace {

std::string kind_of(std::string_view type, std::string_view, std::string_view) {
  return type == "samples" ? "" : std::string(type);
}

// `text` with its samples in a resource of that name.
Profile of_resource(const std::string& name, const std::string& text, const std::string& type = "cpu") {
  Profile profile = test::profile_from_text(text, type, "nanoseconds");
  Profile labelled;
  labelled.add_value_type(type, "nanoseconds");
  profile::Importer importer(profile, labelled);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const int64_t value = profile.samples.value(row, 0);
    const auto label = labelled.string_label("service.name", name, profile::LabelScope::Resource);
    labelled.samples.add(importer.stack(profile.samples.stack(row)), labelled.label_set({label}), {&value, 1});
  }
  return labelled;
}

std::string text_of(const Part& part) { return test::to_text(*to_profile({part.data})); }

}  // namespace

TEST(parts, each_resource_becomes_a_message_with_what_it_uses_of_the_dictionary) {
  const Profile both = reduce::merge(of_resource("a", "main;f 3\nmain;g 4\n"), of_resource("b", "main;h 5\n"));
  const auto parts = take_apart(*from_profile(both), kind_of);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ(text_of((*parts)[0]), "main;f 3\nmain;g 4\n");
  EXPECT_EQ(text_of((*parts)[1]), "main;h 5\n");
  EXPECT_EQ(*(*parts)[1].attributes.at(0).value.get<std::string>(), "b");
  EXPECT_EQ((*parts)[1].data.dictionary.function_table.size(), 3u);  // none, main, h
}

TEST(parts, a_part_is_the_same_bytes_whatever_it_travelled_with) {
  const Profile one = of_resource("b", "main;h 5\nmain;f 1\n");
  const Profile both = reduce::merge(of_resource("a", "main;f 3\nother;g 4\n"), one);
  const auto alone = take_apart(*from_profile(one), kind_of);
  const auto together = take_apart(*from_profile(both), kind_of);
  EXPECT_EQ(text_of(alone->at(0)), text_of(together->at(1)));
}

TEST(parts, what_measures_different_things_is_kept_apart_and_columns_of_one_stay_together) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("cpu", "nanoseconds");
  const auto frame = profile.named_frame("f");
  const int64_t values[] = {2, 20};
  profile.samples.add(profile.stacks.intern({&frame, 1}), {}, values);
  message::ProfilesData data = *from_profile(profile);
  message::ProfilesData other = *from_profile(of_resource("", "g 7\n", "off_cpu"));
  const auto parts = take_apart(data, kind_of);
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ(parts->at(0).kind, "cpu");
  EXPECT_EQ(parts->at(0).profiles, 2u);
  EXPECT_EQ(to_profile({parts->at(0).data})->value_types().size(), 2u);
  // The same resource, another measurement.
  message::ProfilesData mixed = data;
  auto& scope = mixed.resource_profiles[0].scope_profiles[0];
  scope.profiles.push_back(scope.profiles[1]);
  scope.profiles.back().time_unix_nano = 5;
  const auto apart = take_apart(mixed, kind_of);
  ASSERT_EQ(apart->size(), 2u);
  EXPECT_EQ(apart->at(1).profiles, 1u);
}

TEST(parts, an_index_out_of_range_is_refused) {
  message::ProfilesData data = *from_profile(of_resource("a", "main;f 3\n"));
  data.resource_profiles[0].scope_profiles[0].profiles[0].samples[0].stack_index = 1000;
  const auto parts = take_apart(data, kind_of);
  ASSERT_FALSE(parts.ok());
  EXPECT_EQ(parts.error().code, ErrorCode::InvalidInput);
}

TEST(parts, a_large_stack_that_thousands_of_profiles_share_is_refused_in_bounded_time) {
  message::ProfilesData data = *from_profile(of_resource("a", "main;f 3\n"));
  data.dictionary.stack_table.push_back({std::vector<int32_t>(100'000, 1), 0});
  const auto huge = static_cast<int32_t>(data.dictionary.stack_table.size() - 1);
  auto& profiles = data.resource_profiles[0].scope_profiles[0].profiles;
  profiles[0].samples[0].stack_index = huge;
  for (uint64_t i = 1; i < 10'000; ++i) {
    profiles.push_back(profiles[0]);
    profiles.back().time_unix_nano = i;
  }
  const auto parts = take_apart(std::move(data), kind_of);
  ASSERT_FALSE(parts.ok());
  EXPECT_EQ(parts.error().code, ErrorCode::ResourceExhausted);
}

TEST(parts, entries_are_counted_without_decoding) {
  const std::string small = encode_binary(*from_profile(of_resource("a", "main;f 3\n")));
  const std::string larger = encode_binary(*from_profile(of_resource("a", "main;f 3\nmain;g 3\nmain;h 3\n")));
  EXPECT_GT(count_entries(small), 5u);
  EXPECT_GT(count_entries(larger), count_entries(small) + 5);
  EXPECT_EQ(count_entries("\x0a"), 0u);
}

}  // namespace atys::format::otlp
