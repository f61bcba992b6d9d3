// SPDX-License-Identifier: Apache-2.0
// What we write keeps the rules of OpenTelemetry's profiles signal, as its checker profcheck knows them.
#include <gtest/gtest.h>

#include <set>

#include "format/format.h"
#include "format/otlp/binary_codec.h"
#include "format/otlp/from_profile.h"
#include "support/external_data.h"
#include "support/generated_profiles.h"

namespace atys::format::otlp {

namespace {

class Checker {
 public:
  explicit Checker(const message::ProfilesData& data) : data_(data), dictionary_(data.dictionary) {}

  std::vector<std::string> problems() {
    check_dictionary();
    expect(!data_.resource_profiles.empty(), "there is no resource");
    for (const auto& resource : data_.resource_profiles) {
      expect(!resource.scope_profiles.empty(), "a resource has no scope");
      for (const auto& scope : resource.scope_profiles) {
        expect(!scope.profiles.empty(), "a scope has no profile");
        for (const auto& profile : scope.profiles) check_profile(profile);
      }
    }
    return problems_;
  }

 private:
  void expect(bool is_so, const std::string& problem) {
    if (!is_so) problems_.push_back(problem);
  }

  template <typename Table>
  void index(int32_t at, const Table& table, const std::string& who) {
    expect(at >= 0 && static_cast<size_t>(at) < table.size(), who + " refers to " + std::to_string(at));
  }

  void attributes(const std::vector<int32_t>& indices, const std::string& who) {
    std::set<std::string> keys;
    for (const int32_t at : indices) {
      index(at, dictionary_.attribute_table, who);
      const auto& key = dictionary_.string_table.at(
          static_cast<size_t>(dictionary_.attribute_table.at(static_cast<size_t>(at)).key_strindex));
      expect(at != 0 && keys.insert(key).second, who + " has the attribute " + key + " twice");
    }
  }

  void check_dictionary() {
    expect(!dictionary_.string_table.empty() && dictionary_.string_table[0].empty(), "the first string is not empty");
    const std::set<std::string> strings(dictionary_.string_table.begin(), dictionary_.string_table.end());
    expect(strings.size() == dictionary_.string_table.size(), "a string is there twice");
    const std::string empty_entries("\x0a\x00\x12\x00\x1a\x00\x22\x00\x2a\x00\x32\x00\x3a\x00", 14);
    message::ProfilesData zero;
    message::Dictionary& first = zero.dictionary;
    first.mapping_table = {dictionary_.mapping_table.at(0)};
    first.location_table = {dictionary_.location_table.at(0)};
    first.function_table = {dictionary_.function_table.at(0)};
    first.link_table = {dictionary_.link_table.at(0)};
    first.string_table = {dictionary_.string_table.at(0)};
    first.attribute_table = {dictionary_.attribute_table.at(0)};
    first.stack_table = {dictionary_.stack_table.at(0)};
    expect(encode_binary(zero).ends_with(empty_entries), "a first entry is not empty");
    check_mappings();
    check_locations();
    for (size_t i = 1; i < dictionary_.link_table.size(); ++i) {
      const message::Link& link = dictionary_.link_table[i];
      expect(link.trace_id.size() == 16 && link.span_id.size() == 8, "a link has ids of the wrong size");
    }
    std::set<std::string> attributes_seen;
    for (const message::Attribute& attribute : dictionary_.attribute_table) {
      index(attribute.unit_strindex, dictionary_.string_table, "an attribute");
      expect(attributes_seen.insert(encode_binary(attribute)).second, "an attribute is there twice");
    }
  }

  void check_mappings() {
    for (const message::Mapping& mapping : dictionary_.mapping_table) {
      const bool is_nowhere = mapping.memory_start == 0 && mapping.memory_limit == 0;
      expect(is_nowhere || mapping.memory_start < mapping.memory_limit, "a mapping ends before it starts");
      index(mapping.filename_strindex, dictionary_.string_table, "a mapping");
      attributes(mapping.attribute_indices, "a mapping");
    }
  }

  void check_locations() {
    for (const message::Location& location : dictionary_.location_table) {
      index(location.mapping_index, dictionary_.mapping_table, "a location");
      attributes(location.attribute_indices, "a location");
      for (const message::Line& line : location.lines) {
        index(line.function_index, dictionary_.function_table, "a line");
        expect(line.line >= 0 && line.column >= 0, "a line is negative");
      }
    }
    for (const message::Stack& stack : dictionary_.stack_table) {
      for (const int32_t at : stack.location_indices) index(at, dictionary_.location_table, "a stack");
    }
  }

  void check_profile(const message::Profile& profile) {
    attributes(profile.attribute_indices, "a profile");
    expect(profile.profile_id.empty() || profile.profile_id.size() == 16, "a profile's id has the wrong size");
    std::set<std::pair<bool, bool>> shapes;
    for (const message::Sample& sample : profile.samples) {
      index(sample.stack_index, dictionary_.stack_table, "a sample");
      index(sample.link_index, dictionary_.link_table, "a sample");
      attributes(sample.attribute_indices, "a sample");
      const auto& times = sample.timestamps_unix_nano;
      shapes.emplace(times.empty(), sample.values.empty());
      expect(!times.empty() || sample.values.size() == 1, "a sample without times has not one value");
      expect(times.empty() || sample.values.empty() || times.size() == sample.values.size(),
             "values and times do not pair up");
      for (const uint64_t time : times) {
        expect(time >= profile.time_unix_nano && time < profile.time_unix_nano + profile.duration_nano,
               "a time is out of range");
      }
    }
    expect(shapes.size() <= 1, "samples have different shapes");
  }

  const message::ProfilesData& data_;
  const message::Dictionary& dictionary_;
  std::vector<std::string> problems_;
};

std::vector<std::string> problems_of(const Profile& profile) {
  const auto data = from_profile(profile);
  if (!data.ok()) return {data.error().message};
  return Checker(*data).problems();
}

TEST(otlp_conformance, holds_for_generated_profiles) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Profile& profile : test::generate_profiles(seed)) EXPECT_EQ(problems_of(profile), std::vector<std::string>{});
  }
}

TEST(otlp_conformance, holds_for_real_profiles) {
  const std::filesystem::path data = test::external_data();
  if (!std::filesystem::exists(data / "pprof")) GTEST_SKIP() << "no profiles in " << data << "; set ATYS_EXTERNAL_DATA";
  for (const char* kind : {"pprof", "otlp"}) {
    for (const auto& entry : std::filesystem::directory_iterator(data / kind)) {
      const auto profile = read_profile_file(entry.path());
      ASSERT_TRUE(profile.ok()) << profile.error().message;
      EXPECT_EQ(problems_of(*profile), std::vector<std::string>{}) << entry.path();
    }
  }
}

}  // namespace

}  // namespace atys::format::otlp
