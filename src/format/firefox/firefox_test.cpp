// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/byte_source.h"
#include "base/gzip.h"
#include "base/json.h"
#include "format/firefox/lib_table.h"
#include "format/format.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::format::firefox {

namespace {

Json written(const Profile& profile, const WriteOptions& options = {}) {
  StringSink sink;
  EXPECT_TRUE(find_format("firefox")->write(profile, options, sink).ok());
  auto json = parse_json(sink.text());
  EXPECT_TRUE(json.ok()) << json.error().message;
  return json.ok() ? json.take() : Json{};
}

// Every column of a table is as long as the table says.
void expect_whole(const Json& table, const std::string& name) {
  for (const auto& [column, values] : table.items()) {
    if (!values.is_array()) continue;
    EXPECT_EQ(values.size(), table["length"].get<size_t>()) << name << "." << column;
  }
}

std::string function_of(const Json& file, size_t stack) {
  const Json& shared = file["shared"];
  const size_t frame = shared["stackTable"]["frame"][stack];
  const size_t func = shared["frameTable"]["func"][frame];
  return shared["stringArray"][shared["funcTable"]["name"][func].get<size_t>()];
}

// Root first, as the viewer walks it.
std::string stack_text(const Json& file, size_t stack) {
  const size_t offset = file["shared"]["stackTable"]["prefixOffset"][stack];
  return (offset == 0 ? "" : stack_text(file, stack - offset) + ";") + function_of(file, stack);
}

}  // namespace

TEST(firefox, writes_stacks_as_a_tree_with_offsets_to_the_parent) {
  const Json file = written(test::profile_from_text("main;work 3\nmain;idle;work 4\n"));
  const Json& samples = file["threads"][0]["samples"];
  ASSERT_EQ(samples["length"], 2);
  EXPECT_EQ(stack_text(file, samples["stack"][0]), "main;work");
  EXPECT_EQ(stack_text(file, samples["stack"][1]), "main;idle;work");
  EXPECT_EQ(file["shared"]["stackTable"]["length"], 4);
  EXPECT_EQ(samples["weight"], Json::parse("[3,4]"));
  EXPECT_EQ(samples["weightType"], "samples");
}

TEST(firefox, tables_have_columns_of_equal_length_whatever_the_profile) {
  for (const Profile& profile : test::generate_profiles(5)) {
    const Json file = written(profile);
    for (const auto& [name, table] : file["shared"].items()) {
      if (table.is_object()) expect_whole(table, name);
    }
    for (const Json& thread : file["threads"]) expect_whole(thread["samples"], "samples");
    EXPECT_EQ(file["shared"]["resourceTable"]["length"], file["libs"].size());
  }
}

TEST(firefox, weighs_times_in_milliseconds_and_sizes_in_bytes) {
  const Json times =
      written(test::profile_from_text("a 1500000\nb 250000\n", "cpu", "nanoseconds"))["threads"][0]["samples"];
  EXPECT_EQ(times["weightType"], "tracing-ms");
  EXPECT_EQ(times["weight"], Json::parse("[1.5,0.25]"));
  EXPECT_EQ(times["time"], Json::parse("[0.0,1.5]"));
  const Json sizes = written(test::profile_from_text("a 7\n", "space", "bytes"))["threads"][0]["samples"];
  EXPECT_EQ(sizes["weightType"], "bytes");
  EXPECT_EQ(sizes["weight"], Json::parse("[7]"));
}

TEST(firefox, puts_samples_with_times_in_order_from_the_first_on) {
  Profile timed;
  timed.add_value_type("samples", "count");
  const int64_t one = 1;
  const profile::FrameId frame = timed.named_frame("f");
  const profile::StackId only = timed.stacks.intern({&frame, 1});
  timed.samples.add(only, {}, {&one, 1}, 5'000'000'000);
  timed.samples.add(only, {}, {&one, 1}, 3'000'000'000);
  const Json file = written(timed);
  EXPECT_EQ(file["meta"]["startTime"], 3000.0);
  EXPECT_EQ(file["threads"][0]["samples"]["time"], Json::parse("[0.0,2000.0]"));
  EXPECT_EQ(file["meta"]["profilingEndTime"], 2000.0);
}

// The viewer hides what lies past the end of the recording; times that we made up may.
TEST(firefox, tells_no_end_of_the_recording_where_samples_have_no_times) {
  Profile profile = test::profile_from_text("a 5000000000\n", "cpu", "nanoseconds");
  profile.header.duration_ns = 1'000'000'000;
  EXPECT_FALSE(written(profile)["meta"].contains("profilingEndTime"));
}

TEST(firefox, writes_a_thread_per_process_and_thread) {
  const Json file =
      written(test::profile_from_text("a {pid=7,thread.name=io,tid=8} 1\nb {pid=7,thread.name=ui,tid=7} 1\nc {pid=9} 1\n"));
  ASSERT_EQ(file["threads"].size(), 3u);
  EXPECT_EQ(file["threads"][0]["name"], "io");
  EXPECT_EQ(file["threads"][0]["pid"], "7");
  EXPECT_EQ(file["threads"][0]["tid"], 8);
  EXPECT_EQ(file["threads"][0]["isMainThread"], false);
  EXPECT_EQ(file["threads"][1]["isMainThread"], true);
  EXPECT_EQ(file["threads"][2]["isMainThread"], true);
}

TEST(firefox, tells_kernel_from_user_frames_by_category) {
  const Json file = written(test::profile_from_text("main[native];schedule[kernel];run[jvm] 1\n"));
  const Json& categories = file["meta"]["categories"];
  const Json& frames = file["shared"]["frameTable"]["category"];
  EXPECT_EQ(categories[frames[0].get<size_t>()]["name"], "User");
  EXPECT_EQ(categories[frames[1].get<size_t>()]["name"], "Kernel");
  EXPECT_EQ(categories[frames[2].get<size_t>()]["name"], "JIT");
  EXPECT_EQ(categories[0]["color"], "grey");
}

TEST(firefox, has_a_category_for_frames_of_every_language) {
  const Json file = written(test::profile_from_text("main[python];run[node];kernel_fn[cuda];other[no such kind] 1\n"));
  const Json& categories = file["meta"]["categories"];
  const Json& frames = file["shared"]["frameTable"]["category"];
  EXPECT_EQ(categories[frames[0].get<size_t>()]["name"], "Interpreter");
  EXPECT_EQ(categories[frames[1].get<size_t>()]["name"], "JIT");
  EXPECT_EQ(categories[frames[2].get<size_t>()]["name"], "GPU");
  EXPECT_EQ(categories[frames[3].get<size_t>()]["name"], "Other");
}

TEST(firefox, gives_unresolved_frames_their_address_in_the_file) {
  Profile profile;
  profile.add_value_type("samples", "count");
  profile::Mapping mapping;
  mapping.start = 0x400000;
  mapping.limit = 0x500000;
  mapping.file_offset = 0x1000;
  mapping.filename = profile.strings.intern("/usr/lib/libc.so.6");
  mapping.build_id = profile.strings.intern("69389d485a9793dbe873f0ea2c93e02efaa9aa3d");
  profile::Frame frame;
  frame.mapping = profile.mappings.intern(mapping);
  frame.address = 0x400020;
  const profile::FrameId id = profile.frames.intern(frame);
  const int64_t one = 1;
  profile.samples.add(profile.stacks.intern({&id, 1}), {}, {&one, 1});
  const Json file = written(profile);
  EXPECT_EQ(file["meta"]["symbolicated"], false);
  EXPECT_EQ(file["shared"]["frameTable"]["address"][0], 0x1020);
  EXPECT_EQ(file["shared"]["frameTable"]["lib"][0], 0);
  EXPECT_EQ(function_of(file, 0), "0x1020");
  EXPECT_EQ(file["libs"][0]["name"], "libc.so.6");
  EXPECT_EQ(file["libs"][0]["breakpadId"], "489D3869975ADB93E873F0EA2C93E02E0");
  EXPECT_EQ(file["libs"][0]["codeId"], "69389d485a9793dbe873f0ea2c93e02efaa9aa3d");
}

TEST(firefox, has_a_breakpad_id_also_for_short_and_missing_build_ids) {
  EXPECT_EQ(breakpad_id(""), std::string(33, '0'));
  EXPECT_EQ(breakpad_id("not hex"), std::string(33, '0'));
  EXPECT_EQ(breakpad_id("0102030405060708"),
            "04030201060508070000000000000000"
            "0");
}

TEST(firefox, is_gzipped_when_the_file_is_called_so) {
  const std::string folder = testing::TempDir();
  const Profile profile = test::profile_from_text("main 1\n");
  for (const std::string name : {"p.firefox.json", "p.firefox.json.gz"}) {
    const Format* const format = format_for_path(name);
    ASSERT_NE(format, nullptr);
    ASSERT_TRUE(write_profile_file(profile, *format, {}, folder + name).ok());
    const auto source = open_source(folder + name);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(is_gzip(*source.value()->peek(2)), name.ends_with(".gz"));
  }
}

TEST(firefox, says_that_it_cannot_be_read) {
  const auto source = borrow_source("memory", as_byte_span("{}"));
  const auto profile = find_format("firefox")->read(*source);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().message, "cannot read firefox: it can only be written");
}

}  // namespace atys::format::firefox
