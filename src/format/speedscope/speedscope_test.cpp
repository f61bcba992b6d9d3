// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <climits>

#include "base/byte_source.h"
#include "base/json.h"
#include "format/format.h"
#include "format/speedscope/speedscope_reader.h"
#include "reduce/sample_count.h"
#include "support/profile_text.h"

namespace atys::format::speedscope {

namespace {

const std::string kFrames =
    R"("shared":{"frames":[{"name":"main"},{"name":"work"},{"name":"idle","file":"a.c","line":7,"col":3}]})";

std::string file_of(const std::string& profiles) { return "{" + kFrames + R"(,"profiles":[)" + profiles + "]}"; }

std::string sampled(const std::string& unit, const std::string& samples, const std::string& weights,
                    const std::string& name = "p") {
  return R"({"type":"sampled","name":")" + name + R"(","unit":")" + unit + R"(","startValue":0,"endValue":1,"samples":)" +
         samples + R"(,"weights":)" + weights + "}";
}

std::string evented(const std::string& unit, const std::string& events) {
  return R"({"type":"evented","name":"p","unit":")" + unit + R"(","startValue":0,"endValue":10,"events":)" + events + "}";
}

Profile read_ok(const std::string& text) {
  auto profile = read_speedscope(text);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? profile.take() : Profile{};
}

std::string type_of(const Profile& profile, size_t column) {
  const profile::ValueType& type = profile.value_types().at(column);
  return std::string(profile.text(type.type)) + "/" + std::string(profile.text(type.unit));
}

std::string error_of(const std::string& text) {
  const auto profile = read_speedscope(text);
  return profile.ok() ? "no error" : profile.error().message;
}

std::string written(const Profile& profile) {
  StringSink sink;
  EXPECT_TRUE(find_format("speedscope")->write(profile, {}, sink).ok());
  return sink.take();
}

}  // namespace

TEST(speedscope, reads_samples_from_the_root_to_the_leaf) {
  const Profile profile = read_ok(file_of(sampled("none", "[[0,1],[0],[0,1]]", "[2,3,4]")));
  EXPECT_EQ(test::to_text(profile), "main 3\nmain;work 6\n");
  EXPECT_EQ(profile.samples.size(), 3u);  // their order is a time line
  EXPECT_EQ(type_of(profile, 0), "samples/count");
}

TEST(speedscope, knows_when_samples_were_taken_if_asked) {
  const std::string text = R"({"type":"sampled","name":"p","unit":"microseconds","startValue":5,"endValue":9,)"
                           R"("samples":[[0],[0,1],[0]],"weights":[2,1,3]})";
  EXPECT_FALSE(read_ok(file_of(text)).samples.has_times());
  const auto profile = read_speedscope(file_of(text), true);
  ASSERT_TRUE(profile.ok());
  std::vector<int64_t> times;
  for (size_t row = 0; row < profile->samples.size(); ++row) times.push_back(profile->samples.time_ns(row));
  EXPECT_EQ(times, (std::vector<int64_t>{5001, 7001, 8001}));  // nanoseconds, one later: 0 would be none
}

TEST(speedscope, knows_when_events_happened_if_asked) {
  const std::string text =
      file_of(evented("nanoseconds", R"([{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":4},)"
                                     R"({"type":"C","frame":1,"at":9},{"type":"C","frame":0,"at":10}])"));
  const auto profile = read_speedscope(text, true);
  ASSERT_TRUE(profile.ok());
  std::string seen;
  for (size_t row = 0; row < profile->samples.size(); ++row)
    seen += std::to_string(profile->samples.time_ns(row)) + "+" + std::to_string(profile->samples.value(row, 0)) + " ";
  EXPECT_EQ(seen, "1+4 5+5 10+1 ");
  EXPECT_EQ(test::to_text(*profile), test::to_text(read_ok(text)));
}

TEST(speedscope, values_that_are_no_time_have_no_order_in_time) {
  const auto profile = read_speedscope(file_of(sampled("bytes", "[[0],[1]]", "[2,3]")), true);
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(profile->samples.has_times());
}

TEST(speedscope, samples_that_we_added_up_ourselves_have_no_order_in_time) {
  const auto profile = read_speedscope(written(test::profile_from_text("a 3\nb 4", "cpu", "nanoseconds")), true);
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(profile->samples.has_times());
}

TEST(speedscope, reads_file_line_and_column_of_a_frame) {
  const Profile profile = read_ok(file_of(sampled("bytes", "[[2]]", "[1]")));
  const profile::Frame& frame = profile.frames[profile.stacks[profile.samples.stack(0)][0]];
  const profile::Line& line = profile.lines[frame.lines][0];
  EXPECT_EQ(profile.text(profile.functions[line.function].filename), "a.c");
  EXPECT_EQ(line.line, 7);
  EXPECT_EQ(line.column, 3);
  EXPECT_EQ(type_of(profile, 0), "space/bytes");
}

TEST(speedscope, turns_every_time_unit_into_whole_nanoseconds) {
  EXPECT_EQ(test::to_text(read_ok(file_of(sampled("seconds", "[[0]]", "[0.001]")))), "main 1000000\n");
  EXPECT_EQ(test::to_text(read_ok(file_of(sampled("milliseconds", "[[0]]", "[0.1]")))), "main 100000\n");
  EXPECT_EQ(test::to_text(read_ok(file_of(sampled("microseconds", "[[0]]", "[9007199254740]")))), "main 9007199254740000\n");
  const Profile profile = read_ok(file_of(sampled("nanoseconds", "[[0]]", "[9223372036854775807]")));
  EXPECT_EQ(profile.samples.value(0, 0), INT64_MAX);
  EXPECT_EQ(type_of(profile, 0), "time/nanoseconds");
  EXPECT_TRUE(profile.losses.empty());
}

TEST(speedscope, rounds_fractions_of_counts_so_that_the_total_stays_true_and_says_so) {
  const Profile profile = read_ok(file_of(sampled("none", "[[0],[0],[0],[0]]", "[0.25,0.25,0.25,0.25]")));
  EXPECT_EQ(test::to_text(profile), "main 1 4\n");
  EXPECT_EQ(type_of(profile, 0), "value/");  // a quarter of a sample is none
  EXPECT_EQ(type_of(profile, 1), "samples/count");
  ASSERT_EQ(profile.losses.size(), 1u);
  EXPECT_EQ(profile.losses[0].count, 4u);
}

// Whether there were three samples or thirty is not in a file that lists different stacks.
TEST(speedscope, counts_samples_only_where_each_is_listed) {
  const Profile listed = read_ok(file_of(sampled("seconds", "[[0],[0,1],[0]]", "[0.01,0.01,0.02]")));
  EXPECT_EQ(reduce::count_samples(listed, listed.default_value_column()).samples, 3);
  EXPECT_EQ(type_of(listed, listed.default_value_column()), "time/nanoseconds");
  const Profile added_up = read_ok(file_of(sampled("seconds", "[[0],[0,1]]", "[0.03,0.01]")));
  EXPECT_EQ(added_up.value_types().size(), 1u);
  EXPECT_FALSE(reduce::count_samples(added_up, 0).is_known);
}

TEST(speedscope, reads_weights_below_zero) {
  EXPECT_EQ(test::to_text(read_ok(file_of(sampled("none", "[[0]]", "[-5]")))), "main -5\n");
}

TEST(speedscope, attributes_time_between_events_to_the_open_stack) {
  const Profile profile = read_ok(file_of(evented("milliseconds",
                                                  R"([{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":3},
      {"type":"C","frame":1,"at":4.5},{"type":"O","frame":1,"at":5},{"type":"C","frame":1,"at":6},{"type":"C","frame":0,"at":6}])")));
  EXPECT_EQ(test::to_text(profile), "main 2500000\nmain;work 2500000\n");
  EXPECT_EQ(profile.samples.size(), 2u);
  EXPECT_EQ(profile.header.duration_ns, 10'000'000);
}

TEST(speedscope, makes_several_profiles_into_threads_and_value_types) {
  const Profile profile =
      read_ok(file_of(sampled("none", "[[0]]", "[1]", "one") + "," + sampled("bytes", "[[0]]", "[2]", "two") + "," +
                      sampled("none", "[[1]]", "[3]", "three")));
  EXPECT_EQ(test::to_text(profile),
            "main {thread.name=one} 1 0\nmain {thread.name=two} 0 2\nwork {thread.name=three} 3 0\n");
}

TEST(speedscope, names_the_place_of_what_is_wrong) {
  struct Case {
    const char* name;
    std::string text;
    const char* message;
  };
  const std::string open = R"({"type":"O","frame":0,"at":5})";
  const Case cases[] = {
      {"malformed JSON", R"({"shared":)", "bad JSON at offset 10"},
      {"not an object", "[]", "bad speedscope data at the top: not an object"},
      {"no frames", R"({"shared":{},"profiles":[]})", "bad speedscope data at shared: there is no array 'frames'"},
      {"no profiles", "{" + kFrames + "}", "bad speedscope data at the top: there is no array 'profiles'"},
      {"zero profiles", file_of(""), "bad speedscope data at profiles: there is no profile"},
      {"unknown unit", file_of(sampled("minutes", "[]", "[]")),
       "bad speedscope data at profiles[0].unit: not a unit that speedscope knows"},
      {"unknown type", file_of(R"({"type":"drawn","unit":"none"})"),
       "bad speedscope data at profiles[0].type: neither 'sampled' nor 'evented'"},
      {"frame past the end", file_of(sampled("none", "[[0],[0,3]]", "[1,1]")),
       "bad speedscope data at profiles[0].samples[1][1]: frame 3 does not exist; there are 3"},
      {"frame below zero", file_of(sampled("none", "[[-1]]", "[1]")),
       "bad speedscope data at profiles[0].samples[0][0]: not the index of a frame"},
      {"fewer weights", file_of(sampled("none", "[[0],[0]]", "[1]")),
       "bad speedscope data at profiles[0]: 2 samples but 1 weights"},
      {"weight too large", file_of(sampled("seconds", "[[0]]", "[1e300]")),
       "bad speedscope data at profiles[0].weights[0]: not a number that fits into 64 bits"},
      {"whole weight too large", file_of(sampled("seconds", "[[0]]", "[9223372036854775807]")),
       "bad speedscope data at profiles[0].weights[0]: not a number that fits into 64 bits"},
      {"time goes back", file_of(evented("none", "[" + open + R"(,{"type":"C","frame":0,"at":4}])")),
       "bad speedscope data at profiles[0].events[1].at: time goes back"},
      {"never closed", file_of(evented("none", "[" + open + "]")),
       "bad speedscope data at profiles[0].events: a frame is still open after the last event"},
      {"closes another", file_of(evented("none", "[" + open + R"(,{"type":"C","frame":1,"at":6}])")),
       "bad speedscope data at profiles[0].events[1]: closes a frame that is not the innermost open one"},
      {"closes nothing", file_of(evented("none", R"([{"type":"C","frame":1,"at":6}])")),
       "bad speedscope data at profiles[0].events[0]: closes a frame, but none is open"},
  };
  for (const Case& each : cases) EXPECT_EQ(error_of(each.text), each.message) << each.name;
}

TEST(speedscope, refuses_events_whose_stacks_would_fill_the_memory) {
  std::string events = "[";
  const int depth = 20000;
  for (int i = 0; i < depth; ++i) events += R"({"type":"O","frame":0,"at":)" + std::to_string(i) + "},";
  for (int i = 0; i < depth; ++i) events += R"({"type":"C","frame":0,"at":)" + std::to_string(depth + i) + "},";
  events.back() = ']';
  EXPECT_EQ(error_of(file_of(evented("none", events))),
            "cannot read speedscope data at profiles[0]: the stacks are too many and too deep");
}

TEST(speedscope, refuses_more_value_types_than_the_file_has_weights_for) {
  std::string profiles = sampled("none", "[[],[],[],[],[],[],[],[],[],[]]", "[1,1,1,1,1,1,1,1,1,1]");
  for (int i = 1; i < 200; ++i) {
    const char* const samples = i % 2 == 0 ? R"("samples":[[]],"weights":[1])" : R"("samples":[[],[]],"weights":[1,1])";
    profiles +=
        std::string(R"(,{"type":"sampled","unit":"none",)") + samples + R"(,"atys":{"column":)" + std::to_string(i) + "}}";
  }
  EXPECT_NE(error_of(file_of(profiles)).find("too many value types for so many samples"), std::string::npos);
}

TEST(speedscope, writes_one_profile_per_thread_and_value_type) {
  Profile profile = test::profile_from_text(
      "main;work {thread.name=io} 3\nmain {thread.name=ui} 4\nmain {thread.name=io} 5\n", "cpu", "nanoseconds");
  profile.add_value_type("hits", "count");
  const Json file = parse_json(written(profile)).take();
  ASSERT_EQ(file["profiles"].size(), 4u);
  EXPECT_EQ(file["profiles"][0]["name"], "io: cpu");
  EXPECT_EQ(file["profiles"][0]["unit"], "nanoseconds");
  EXPECT_EQ(file["profiles"][0]["samples"], Json::parse("[[0,1],[0]]"));
  EXPECT_EQ(file["profiles"][0]["weights"], Json::parse("[3,5]"));
  EXPECT_EQ(file["profiles"][0]["endValue"], 8);
  EXPECT_EQ(file["profiles"][3]["name"], "ui: hits");
  EXPECT_EQ(file["profiles"][3]["unit"], "none");
  EXPECT_EQ(file["shared"]["frames"], Json::parse(R"([{"name":"main"},{"name":"work"}])"));
}

TEST(speedscope, keeps_all_values_of_a_row_together_when_read_back) {
  Profile profile = test::profile_from_text("main;work {thread.name=io} 3\nmain {thread.name=ui} 4\n", "cpu", "nanoseconds");
  profile.add_value_type("hits", "count");
  profile.samples.mutable_values(1)[0] = INT64_MIN;
  profile.samples.mutable_values(1)[1] = INT64_MAX;
  const Profile again = read_ok(written(profile));
  EXPECT_TRUE(equivalent(again, profile));
  EXPECT_EQ(again.samples.size(), profile.samples.size());
}

// The viewer refuses a file with a weight below zero as a whole.
TEST(speedscope, writes_no_weights_below_zero_where_the_viewer_looks) {
  const Json file = parse_json(written(test::profile_from_text("grown 3\nshrunk -4\n"))).take();
  EXPECT_EQ(file["profiles"][0]["weights"], Json::parse("[3,0]"));
  EXPECT_EQ(file["profiles"][0]["atys"]["negative"], Json::parse("[[1,-4]]"));
}

TEST(speedscope, writes_inlined_functions_as_frames_of_their_own) {
  Profile profile;
  profile.add_value_type("samples", "count");
  const profile::FunctionId outer =
      profile.functions.intern({profile.strings.intern("outer"), {}, profile.strings.intern("o.c"), 0});
  const profile::FunctionId inner = profile.functions.intern({profile.strings.intern("inner"), {}, {}, 0});
  const profile::Line lines[] = {{2, 0, inner}, {9, 4, outer}};
  profile::Frame frame;
  frame.lines = profile.lines.intern(lines);
  const profile::FrameId id = profile.frames.intern(frame);
  const int64_t value = 1;
  profile.samples.add(profile.stacks.intern({&id, 1}), {}, {&value, 1});
  const Json file = parse_json(written(profile)).take();
  EXPECT_EQ(file["shared"]["frames"],
            Json::parse(R"([{"name":"outer","file":"o.c","line":9,"col":4},{"name":"inner","line":2}])"));
  EXPECT_EQ(file["profiles"][0]["samples"], Json::parse("[[0,1]]"));
}

TEST(speedscope, is_recognised_wherever_the_schema_stands) {
  const Format& format = *find_format("speedscope");
  const auto sniffs = [&](std::string_view text) { return format.sniff(as_byte_span(text)); };
  EXPECT_TRUE(sniffs(R"({"$schema":"https://www.speedscope.app/file-format-schema.json"})"));
  EXPECT_TRUE(sniffs("\xef\xbb\xbf {\"shared\":{\"frames\":[{\"name\":"));
  EXPECT_TRUE(sniffs(R"({"profiles":[{"type":"evented","events":[)"));
  EXPECT_FALSE(sniffs(R"({"resourceProfiles":[{)"));
  EXPECT_FALSE(sniffs("main;work 3"));
}

}  // namespace atys::format::speedscope
