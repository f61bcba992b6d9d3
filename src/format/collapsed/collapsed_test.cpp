// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "format/collapsed/collapsed_reader.h"
#include "format/collapsed/collapsed_writer.h"
#include "format/format.h"
#include "reduce/sample_count.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"

namespace atys::format::collapsed {

namespace {

using profile::FunctionId;
using profile::Line;

Profile read(std::string_view text) {
  auto profile = read_collapsed(text);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? profile.take() : Profile{};
}

std::string error_of(std::string_view text) {
  const auto profile = read_collapsed(text);
  return profile.ok() ? "no error" : profile.error().message;
}

std::string written(const Profile& profile, size_t column = 0) {
  StringSink sink;
  const auto done = write_collapsed(profile, column, sink);
  EXPECT_TRUE(done.ok());
  return sink.take();
}

}  // namespace

TEST(collapsed, reads_stacks_root_first) {
  EXPECT_EQ(test::to_text(read("main;parse 3\nmain 1\n")), "main 1\nmain;parse 3\n");
}

TEST(collapsed, takes_no_nanoseconds_for_samples) {
  const Profile counts = read("main;parse 3\nmain 1\n");
  EXPECT_EQ(counts.text(counts.value_types()[0].type), "samples");
  EXPECT_EQ(reduce::count_samples(counts, 0).samples, 4);
  const Profile nanoseconds = read("main;parse 30303030\nmain 10101010\n");
  EXPECT_EQ(nanoseconds.text(nanoseconds.value_types()[0].type), "value");
  EXPECT_FALSE(reduce::count_samples(nanoseconds, 0).is_known);
}

TEST(collapsed, reads_kernel_jit_and_inlined_annotations) {
  EXPECT_EQ(test::to_text(read("a;b_[k];c_[j];d_[i];e_[w] 1")), "a;b[kernel];c[jit];d[inlined];e_[w] 1\n");
}

TEST(collapsed, takes_an_annotation_alone_for_a_name) { EXPECT_EQ(written(read("_[k];_[k]_[k] 1")), "_[k];_[k]_[k] 1\n"); }

TEST(collapsed, reads_windows_line_ends_tabs_runs_of_blanks_and_empty_lines) {
  EXPECT_EQ(test::to_text(read("a;b   2\r\n\r\na;c\t3\r\n  \nd \t 4")), "a;b 2\na;c 3\nd 4\n");
}

TEST(collapsed, reads_names_with_blanks_and_numbers) { EXPECT_EQ(written(read("a b;c 12 5")), "a b;c 12 5\n"); }

TEST(collapsed, reads_negative_counts) { EXPECT_EQ(written(read("a -5")), "a -5\n"); }

TEST(collapsed, names_the_offset_of_a_line_without_count) {
  EXPECT_EQ(error_of("a 1\nmain;b\n"), "bad collapsed stack at offset 4: the line has no count at its end");
  EXPECT_NE(error_of("a 1x"), "no error");
  EXPECT_NE(error_of("a 1.5"), "no error");
  EXPECT_NE(error_of(" 7"), "no error");
  EXPECT_NE(error_of("a 99999999999999999999"), "no error");
}

TEST(collapsed, adds_up_equal_stacks_and_sorts_by_bytes) {
  EXPECT_EQ(written(read("b 1\na;c 1\na b 1\na;c;d 1\na;c 2\na;c e;d 1\na 1\nA 1\n\xff 1\n")),
            "A 1\na 1\na b 1\na;c 3\na;c e;d 1\na;c;d 1\nb 1\n\xff 1\n");
}

TEST(collapsed, leaves_out_stacks_that_sum_to_nothing) { EXPECT_EQ(written(read("a 1\na -1\nb 0\nc 1")), "c 1\n"); }

TEST(collapsed, makes_names_safe) {
  EXPECT_EQ(written(test::profile_from_text("x 1")), "x 1\n");
  Profile profile;
  profile.add_value_type("samples", "count");
  const int64_t one = 1;
  const std::array frames = {profile.named_frame(" a;b\nc "), profile.named_frame("\t")};
  profile.samples.add(profile.stacks.intern(frames), {}, {&one, 1});
  EXPECT_EQ(written(profile), "?;a:b c 1\n");
}

TEST(collapsed, spreads_inlined_functions_and_names_unresolved_frames) {
  Profile profile;
  profile.add_value_type("samples", "count");
  const auto function = [&](std::string_view name) {
    return profile.functions.intern({profile.strings.intern(name), {}, {}, 0});
  };
  const std::array lines = {Line{1, 0, function("inner")}, Line{2, 0, function("outer")}};
  const std::array frames = {
      profile.frames.intern({.address = 1, .lines = profile.lines.intern(lines), .kind = profile.strings.intern("kernel")}),
      profile.frames.intern({.address = 0x1234})};
  const int64_t one = 1;
  profile.samples.add(profile.stacks.intern(frames), {}, {&one, 1});
  profile.samples.add({}, {}, {&one, 1});
  EXPECT_EQ(written(profile), "0x1234;outer_[k];inner_[i] 1\n[unknown] 1\n");
}

TEST(collapsed, writes_the_column_asked_for) {
  Profile profile = test::profile_from_text("a 1");
  profile.add_value_type("cpu", "nanoseconds");
  profile.samples.mutable_values(1)[0] = 70;
  EXPECT_EQ(written(profile, 0), "a 1\n");
  EXPECT_EQ(written(profile, 1), "a 70\n");
  StringSink sink;
  EXPECT_FALSE(write_collapsed(profile, 2, sink).ok());
}

TEST(collapsed, recognises_its_text) {
  EXPECT_TRUE(looks_collapsed("a;b 1\nc;d 2\n", true));
  EXPECT_TRUE(looks_collapsed("a;b 1\nc;d;never en", false));
  EXPECT_TRUE(looks_collapsed("\n", true));
  EXPECT_FALSE(looks_collapsed("a;b 1\nc;d;no count", true));
  EXPECT_FALSE(looks_collapsed("hello world", true));
  EXPECT_FALSE(looks_collapsed(std::string_view("a\0b 1\n", 6), true));
  EXPECT_FALSE(looks_collapsed("", true));
}

TEST(collapsed, keeps_the_total_of_any_profile) {
  for (const Profile& profile : test::generate_profiles(3)) {
    uint64_t expected = 0;
    for (const int64_t value : profile.samples.values(0)) expected += static_cast<uint64_t>(value);
    const Profile back = read(written(profile));
    uint64_t got = 0;
    for (const int64_t value : back.samples.values(0)) got += static_cast<uint64_t>(value);
    EXPECT_EQ(got, expected);
  }
}

}  // namespace atys::format::collapsed
