// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "format/format.h"
#include "format/otlp/binary_codec.h"
#include "format/otlp/from_profile.h"
#include "format/otlp/json_codec.h"
#include "format/otlp/to_profile.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::format::otlp {

namespace {

using namespace profile;

std::string label_text(const Profile& profile, size_t row, std::string_view key) {
  for (const LabelId id : profile.label_sets[profile.samples.labels(row)]) {
    const Label& label = profile.labels[id];
    if (profile.text(label.key) != key) continue;
    return label.type == LabelType::Int ? std::to_string(label.number) : std::string(profile.text(label.text));
  }
  return "none";
}

// One resource, scope and profile with the stack "f"; strings are "", samples, count, f, then `more`.
message::ProfilesData small_message(std::vector<std::string> more = {}) {
  message::ProfilesData data;
  message::Dictionary& dictionary = data.dictionary;
  dictionary.string_table = {"", "samples", "count", "f"};
  dictionary.string_table.insert(dictionary.string_table.end(), more.begin(), more.end());
  dictionary.mapping_table.resize(1);
  dictionary.function_table = {{}, {3, 0, 0, 0}};
  dictionary.location_table.resize(2);
  dictionary.location_table[1].lines = {{1, 10, 0}};
  dictionary.stack_table = {{}, {{1}}};
  dictionary.link_table.resize(1);
  dictionary.attribute_table.resize(1);
  message::Profile profile;
  profile.sample_type = {1, 2};
  profile.samples = {{1, {}, 0, {5}, {}}};
  data.resource_profiles.resize(1);
  data.resource_profiles[0].scope_profiles.resize(1);
  data.resource_profiles[0].scope_profiles[0].profiles = {profile};
  return data;
}

message::Profile& only_profile(message::ProfilesData& data) {
  return data.resource_profiles[0].scope_profiles[0].profiles[0];
}

Profile profile_of(message::ProfilesData data) {
  std::vector<message::ProfilesData> messages;
  messages.push_back(std::move(data));
  auto profile = to_profile(std::move(messages));
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? profile.take() : Profile{};
}

std::string problem_of(message::ProfilesData data) {
  std::vector<message::ProfilesData> messages;
  messages.push_back(std::move(data));
  const auto profile = to_profile(std::move(messages));
  return profile.ok() ? "" : profile.error().message;
}

Result<Profile> read_bytes(const std::string& bytes) {
  const auto source = borrow_source("memory", as_byte_span(bytes));
  return read_profile(*source);
}

TEST(otlp, a_profile_without_samples_is_still_of_its_resource) {
  auto data = small_message();
  only_profile(data).samples.clear();
  data.resource_profiles[0].resource.attributes = {{"service.name", any("shop")}};
  data.resource_profiles[0].scope_profiles[0].scope.name = "sampler";
  const auto written = from_profile(profile_of(data));
  ASSERT_TRUE(written.ok());
  ASSERT_EQ(written->resource_profiles.size(), 1u);
  const message::ResourceProfiles& resource = written->resource_profiles[0];
  ASSERT_EQ(resource.resource.attributes.size(), 1u);
  EXPECT_EQ(resource.resource.attributes[0].key, "service.name");
  EXPECT_EQ(resource.scope_profiles[0].scope.name, "sampler");
  EXPECT_TRUE(resource.scope_profiles[0].profiles[0].attribute_indices.empty()) << "said once";
  // Of two that differ, neither is the whole's.
  data.resource_profiles.push_back(data.resource_profiles[0]);
  data.resource_profiles[1].resource.attributes = {{"service.name", any("till")}};
  EXPECT_EQ(profile_of(data).header.attributes, kNoLabels);
}

TEST(otlp, timestamps_alone_count_one_each) {
  auto data = small_message();
  only_profile(data).samples = {{1, {}, 0, {}, {100, 200, 300}}};
  const Profile profile = profile_of(std::move(data));
  EXPECT_EQ(test::to_text(profile), "f 3\n");
  ASSERT_EQ(profile.samples.size(), 3u);
  EXPECT_EQ(profile.samples.time_ns(2), 300);
}

TEST(otlp, joins_profiles_of_the_same_samples) {
  auto data = small_message({"cpu", "nanoseconds"});
  auto& profiles = data.resource_profiles[0].scope_profiles[0].profiles;
  profiles.push_back(profiles[0]);
  profiles[1].sample_type = {4, 5};
  profiles[1].samples[0].values = {70};
  const Profile profile = profile_of(std::move(data));
  EXPECT_EQ(test::to_text(profile), "f 5 70\n");
  EXPECT_EQ(profile.samples.size(), 1u);
}

TEST(otlp, keeps_profiles_of_other_samples_apart) {
  auto data = small_message({"off_cpu", "nanoseconds"});
  auto& profiles = data.resource_profiles[0].scope_profiles[0].profiles;
  profiles.push_back(profiles[0]);
  profiles[1].sample_type = {4, 5};
  profiles[1].samples = {{0, {}, 0, {70}, {}}};
  const Profile profile = profile_of(std::move(data));
  EXPECT_EQ(test::to_text(profile), " 0 70\nf 5 0\n");
}

TEST(otlp, turns_links_into_labels_and_back) {
  auto data = small_message();
  data.dictionary.link_table.push_back({std::string(16, '\x01'), std::string(8, '\x02')});
  only_profile(data).samples[0].link_index = 1;
  const Profile profile = profile_of(std::move(data));
  EXPECT_EQ(label_text(profile, 0, "trace_id"), "01010101010101010101010101010101");
  EXPECT_EQ(label_text(profile, 0, "span_id"), "0202020202020202");
  const auto again = from_profile(profile);
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again->dictionary.link_table.size(), 2u);
  EXPECT_EQ(again->dictionary.link_table[1].span_id, std::string(8, '\x02'));
}

TEST(otlp, resolves_references_to_strings) {
  auto data = small_message({"service.name", "shop"});
  data.resource_profiles[0].resource.attributes = {{"", {StringReference{5}}, 4}};
  EXPECT_EQ(label_text(profile_of(std::move(data)), 0, "service.name"), "shop");
}

TEST(otlp, keeps_what_profiles_say_differently_of_themselves) {
  auto data = small_message();
  auto& profiles = data.resource_profiles[0].scope_profiles[0].profiles;
  profiles[0].time_unix_nano = 1000;
  profiles.push_back(profiles[0]);
  profiles[1].time_unix_nano = 2000;
  profiles[1].profile_id = std::string(16, 'x');
  profiles[1].original_payload = "raw";
  profiles[1].original_payload_format = "jfr";
  const Profile profile = profile_of(std::move(data));
  EXPECT_EQ(profile.header.time_ns, 1000);
  ASSERT_EQ(profile.samples.size(), 2u);
  EXPECT_EQ(label_text(profile, 0, "otlp.profile.time_unix_nano"), "none");
  EXPECT_EQ(label_text(profile, 1, "otlp.profile.time_unix_nano"), "2000");
  const auto again = from_profile(profile);
  ASSERT_TRUE(again.ok());
  const auto& written = again->resource_profiles[0].scope_profiles[0].profiles;
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[1].time_unix_nano, 2000u);
  EXPECT_EQ(written[1].profile_id, std::string(16, 'x'));
  EXPECT_EQ(written[1].original_payload, "raw");
  EXPECT_TRUE(written[1].attribute_indices.empty());
}

TEST(otlp, reads_comments_that_have_numbered_keys) {
  auto data = small_message({"pprof.profile.comment.0", "pprof.profile.comment.1"});
  data.dictionary.attribute_table.push_back({4, any("one"), 0});
  data.dictionary.attribute_table.push_back({5, any("two"), 0});
  only_profile(data).attribute_indices = {1, 2};
  const Profile profile = profile_of(std::move(data));
  ASSERT_EQ(profile.header.comments.size(), 2u);
  EXPECT_EQ(profile.text(profile.header.comments[1]), "two");
}

TEST(otlp, counts_dropped_attributes_as_loss) {
  auto data = small_message();
  only_profile(data).dropped_attributes_count = 3;
  data.resource_profiles[0].resource.dropped_attributes_count = 4;
  const Profile profile = profile_of(std::move(data));
  ASSERT_EQ(profile.losses.size(), 1u);
  EXPECT_EQ(profile.losses[0].count, 7u);
}

TEST(otlp, keeps_labels_whose_keys_mean_something_as_attributes) {
  Profile profile = test::profile_from_text("main;f 3\n");
  const LabelId odd = profile.string_label("pprof.profile.doc_url", "not the header's", LabelScope::Profile);
  const LabelId escaped = profile.string_label("atys.escaped.x", "y", LabelScope::Resource);
  profile.samples.set_labels(0, profile.label_set({odd, escaped}));
  profile.header.doc_url = profile.strings.intern("the header's");
  auto data = from_profile(profile);
  ASSERT_TRUE(data.ok());
  EXPECT_TRUE(equivalent(profile_of(data.take()), profile));
}

TEST(otlp, reads_old_numbers_of_samples) {
  // Sample: stack 1, field 2 values [5]; nothing else, which new numbers would make a sample without values.
  const std::string sample("\x08\x01\x12\x01\x05", 5);
  const std::string profile_bytes = std::string("\x0a\x04\x08\x01\x10\x02\x12\x05", 8) + sample;
  std::string scope = "\x12" + std::string(1, static_cast<char>(profile_bytes.size())) + profile_bytes;
  std::string resource = "\x12" + std::string(1, static_cast<char>(scope.size())) + scope;
  auto dictionary_only = small_message();
  dictionary_only.resource_profiles.clear();
  const std::string bytes =
      "\x0a" + std::string(1, static_cast<char>(resource.size())) + resource + encode_binary(dictionary_only);
  const auto profile = read_bytes(bytes);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(test::to_text(*profile), "f 5\n");
}

TEST(otlp, names_the_table_and_the_index_that_do_not_exist) {
  auto stack = small_message();
  only_profile(stack).samples[0].stack_index = 9;
  EXPECT_EQ(problem_of(std::move(stack)),
            "bad OTLP data at resourceProfiles[0].scopeProfiles[0].profiles[0].samples[0]: a sample refers to entry 9 of "
            "stack_table, which has 2");
  auto attribute = small_message();
  only_profile(attribute).samples[0].attribute_indices = {-1};
  EXPECT_EQ(problem_of(std::move(attribute)),
            "bad OTLP data at resourceProfiles[0].scopeProfiles[0].profiles[0].samples[0]: a sample refers to entry -1 of "
            "attribute_table, which has 1");
  auto type = small_message();
  only_profile(type).sample_type.unit_strindex = 77;
  EXPECT_EQ(problem_of(std::move(type)),
            "bad OTLP data at resourceProfiles[0].scopeProfiles[0].profiles[0]: a sample type refers to entry 77 of "
            "string_table, which has 4");
}

TEST(otlp, refuses_values_that_do_not_pair_with_timestamps) {
  auto data = small_message();
  only_profile(data).samples[0].timestamps_unix_nano = {1, 2};
  EXPECT_EQ(problem_of(std::move(data)), "bad OTLP data at samples: a sample of stack 1 has 1 values for 2 timestamps");
}

TEST(otlp, refuses_to_multiply_attributes_without_end) {
  auto data = small_message({"key"});
  ArrayValue many;
  for (int i = 0; i < 100'000; ++i) many.values.push_back({KeyValueList{{{"v", any("x")}}}});
  data.dictionary.attribute_table.push_back({4, {KeyValueList{{{"atys.multi", {many}}}}}, 0});
  for (int i = 0; i < 1000; ++i) {
    only_profile(data).samples.push_back({1, std::vector<int32_t>(static_cast<size_t>(i % 30 + 1), 1), i / 30 % 2, {1}, {}});
  }
  data.dictionary.link_table.resize(2);
  EXPECT_EQ(problem_of(std::move(data)), "bad OTLP data: the file refers to too many attributes");
}

TEST(otlp, refuses_values_nested_without_end) {
  auto data = small_message();
  AnyValue deep = any("core");
  for (int i = 0; i < 100; ++i) deep = AnyValue{ArrayValue{{deep}}};
  data.resource_profiles[0].resource.attributes = {{"deep", deep}};
  const auto binary = read_bytes(encode_binary(data));
  ASSERT_FALSE(binary.ok());
  EXPECT_NE(binary.error().message.find("nested too deeply"), std::string::npos) << binary.error().message;
  EXPECT_FALSE(read_bytes(encode_json(data)).ok());
}

TEST(otlp, names_the_offset_where_a_file_is_cut_short) {
  const std::string bytes = encode_binary(small_message());
  const auto profile = read_bytes(bytes.substr(0, bytes.size() - 3));
  ASSERT_FALSE(profile.ok());
  EXPECT_NE(profile.error().message.find("at offset "), std::string::npos) << profile.error().message;
}

TEST(otlp, reads_files_of_the_collector_with_several_messages) {
  const std::string one = encode_binary(small_message());
  const std::string framed = std::string(3, '\0') + static_cast<char>(one.size()) + one;
  const auto profile = read_bytes(framed + framed);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(test::to_text(*profile), "f 10\n");
  const std::string line = encode_json(small_message()) + "\n";
  const auto lines = read_bytes(line + line + line);
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  EXPECT_EQ(test::to_text(*lines), "f 15\n");
}

TEST(otlp, json_takes_numbers_for_strings_and_null_for_nothing) {
  const auto profile =
      read_bytes(R"({"resourceProfiles":[{"resource":null,"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},
      "samples":[{"stackIndex":0,"values":[5, "6"],"unknown":[{}]}]}]}]}],"dictionary":{"stringTable":["","samples"]}})");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(test::to_text(*profile), " 11\n");
}

TEST(otlp, json_errors_name_the_path) {
  const auto profile = read_bytes(R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"period":"x"}]}]}]})");
  ASSERT_FALSE(profile.ok());
  EXPECT_NE(profile.error().message.find("resourceProfiles[0].scopeProfiles[0].profiles[0].period"), std::string::npos);
}

// Rows that would look like columns of each other if written apart.
TEST(otlp, does_not_join_on_and_off_cpu_samples_of_one_moment) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile.add_value_type("off_cpu", "nanoseconds");
  const FrameId frame = profile.named_frame("f");
  const StackId stack = profile.stacks.intern({&frame, 1});
  const int64_t on[] = {1, 0};
  const int64_t off[] = {0, 9};
  profile.samples.add(stack, kNoLabels, on, 100);
  profile.samples.add(stack, kNoLabels, off, 100);
  auto data = from_profile(profile);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(profile_of(data.take()).samples.size(), 2u);
}

// Every kind of label that could be taken for something else on the way back.
std::vector<LabelId> labels_that_stand_for_fields(Profile& profile) {
  const auto add = [&](std::string_view key, std::string_view text, LabelType type, LabelScope scope = LabelScope::Profile) {
    return profile.labels.intern({profile.strings.intern(key), profile.strings.intern(text), 0, kNoString, type, scope});
  };
  return {
      profile.int_label("otlp.profile.time_unix_nano", profile.header.time_ns, {}, LabelScope::Profile),
      profile.int_label("otlp.profile.time_unix_nano", 77, {}, LabelScope::Profile),
      profile.int_label("otlp.profile.duration_nano", 5, "ns", LabelScope::Profile),
      profile.int_label("otlp.profile.period", 5, {}, LabelScope::Profile),
      add("otlp.profile.period_type", "", LabelType::String),
      add("otlp.profile.period_unit", "x", LabelType::Bytes),
      add("otlp.profile.profile_id", std::string(16, 'q'), LabelType::Bytes),
      add("otlp.profile.profile_id", "short", LabelType::Bytes),
      add("otlp.profile.original_payload", "raw", LabelType::Bytes),
      add("otlp.profile.original_payload", "", LabelType::Bytes),
      add("otlp.profile.original_payload_format", "jfr", LabelType::String),
      add("attribute", "as in the header", LabelType::String),
      add("atys.multi", "x", LabelType::String),
      add("json",
          R"({"kvlistValue":{"values":[{"key":"atys.multi","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"v","value":{"intValue":"1"}}]}}]}}}]}})",
          LabelType::Json),
      add("json", R"({"stringValueStrindex":3})", LabelType::Json),
      add("json", "{}", LabelType::Json),
      add("", "{}", LabelType::Json, LabelScope::Sample),
      add("json", "no JSON", LabelType::Json, LabelScope::Resource),
      add("otel.scope.name", "a", LabelType::String, LabelScope::Instrumentation),
      add("otel.scope.name", "", LabelType::String, LabelScope::Instrumentation),
      add("pprof.scope.sample_type_order", "x", LabelType::String, LabelScope::Instrumentation),
      add("otel.resource.schema_url", "u", LabelType::String, LabelScope::Resource),
      add("trace_id", std::string(32, '0'), LabelType::String, LabelScope::Sample),
      add("trace_id", std::string(32, 'a'), LabelType::String, LabelScope::Sample),
      add("trace_id", std::string(32, 'A'), LabelType::String, LabelScope::Sample),
      add("span_id", std::string(16, '1'), LabelType::String, LabelScope::Sample)};
}

TEST(otlp, gives_back_labels_that_stand_for_fields) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Profile profile = test::generate_profile(seed, {.value_types = seed % 3 + 1, .times = seed % 2 == 0});
    const std::vector<LabelId> choice = labels_that_stand_for_fields(profile);
    uint64_t random = seed;
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      std::vector<LabelId> labels;
      for (int i = 0; i < 3; ++i)
        labels.push_back(choice[((random = random * 6364136223846793005u + 1442695040888963407u) >> 33) % choice.size()]);
      if (row % 4 != 0) profile.samples.set_labels(row, profile.label_set(labels));
    }
    if (seed % 5 == 0) profile.header.id = profile.strings.intern("odd id");
    if (seed % 7 == 0) profile.add_loss("dropped-attributes", 12);
    auto data = from_profile(profile);
    ASSERT_TRUE(data.ok());
    const Profile again = profile_of(data.take());
    EXPECT_TRUE(equivalent(again, profile));
    EXPECT_EQ(again.samples.size(), profile.samples.size());
  }
}

}  // namespace

}  // namespace atys::format::otlp
