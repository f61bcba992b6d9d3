// SPDX-License-Identifier: Apache-2.0
// The same two samples as perf prints them with different options, and as they come out of a chat window.
#include "format/perf_script/text_layout.h"

#include <gtest/gtest.h>

#include "format/format.h"
#include "format/perf_script/perf_script_reader.h"
#include "support/profile_text.h"

namespace atys::format::perf_script {

namespace {

// What the reader makes of it: stacks without labels, samples counted.
std::string read(std::string_view text) {
  const auto source = borrow_source("memory", as_byte_span(text));
  const auto profile = read_profile(*source);
  if (!profile.ok()) return profile.error().message;
  std::string stacks;
  for (size_t row = 0; row < profile->samples.size(); ++row) {
    const auto stack = profile->stacks[profile->samples.stack(row)];
    for (size_t i = stack.size(); i-- > 0;) stacks += profile::frame_name(*profile, stack[i]) + (i > 0 ? ";" : " ");
    stacks += std::to_string(profile->samples.value(row, 0)) + "\n";
  }
  for (const profile::Loss& loss : profile->losses) stacks += std::string(profile->text(loss.reason)) + "\n";
  return stacks;
}

std::string without_indent(std::string_view text) {
  std::string out;
  bool is_at_begin = true;
  for (const char c : text) {
    if (is_at_begin && (c == ' ' || c == '\t')) continue;
    out += c;
    is_at_begin = c == '\n';
  }
  return out;
}

std::string with_windows_ends(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}

struct Shape {
  const char* options;
  std::string header;   // of each sample
  const char* command;  // "" where the header has none
  bool has_modules = true;
};

std::string printed(const Shape& shape) {
  const std::string module = shape.has_modules ? " (/bin/ov)" : "";
  return shape.header + "\n\t            124c foo(int, char)" + module + "\n\t            1405 main" + module + "\n\n" +  //
         shape.header + "\n\t            13bb Less::operator()(int) const" + module + "\n\t            1405 main" + module +
         "\n\n" +  //
         shape.header + "\n\t            11bf std::function<int (int)>::swap" + module + "\n\t            1405 main" +
         module + "\n\n";
}

std::string expected(const Shape& shape) {
  const std::string root = shape.command[0] != '\0' ? std::string(shape.command) + ";main;" : "main;";
  return root + "foo(int, char) 1\n" + root + "Less::operator()(int) const 1\n" + root +
         "std::function<int (int)>::swap 1\n";
}

const Shape kShapes[] = {
    {"", "ov 20678  1188.772649:    2004008 cpu-clock:pppH: ", "ov"},
    {"--ns", "ov 20678  1188.772649477:    2004008 cpu-clock:pppH: ", "ov"},
    {"-F comm,pid,tid,cpu,time,event", "ov 20678/20678 [001]  1188.772649: cpu-clock:pppH: ", "ov"},
    {"-F comm,tid,event,ip,sym", "ov 20678 cpu-clock:pppH: ", "ov", false},
    {"-F comm,tid", "ov 20678 ", "ov"},
    {"-F comm", "ov ", "ov"},
    {"-F comm, of a command that reads as a number", "dd ", "dd"},
    {"-F comm,ip,sym", "ov ", "ov", false},
    {"-F pid,ip,sym", "20678 ", "", false},
    {"-F ip,sym,dso", "", ""},
    {"-F ip,sym", "", "", false},
    {"-F comm,time,ip,sym", "ov  1188.772649: ", "ov", false},
    {"-F time", " 1188.772649: ", ""},
    {"-F event", "cpu-clock:pppH: ", ""},
    {"-F comm,event", "ov cpu-clock:pppH: ", "ov"},
    {"-F comm,tid,time,period", "ov 20678  1188.772649:    2004008 ", "ov"},
    {"-F comm,tid,period", "ov 20678    2004008 ", "ov"},
    {"-F +misc", "ov 20678 U      1188.772649:    2004008 cpu-clock:pppH: ", "ov"},
    {"a command that reads as an address", "dd 29776  1188.772649:    2004008 cpu-clock:pppH: ", "dd"},
};

}  // namespace

TEST(text_layout, headers_may_hold_anything_or_nothing) {
  for (const Shape& shape : kShapes) EXPECT_EQ(read(printed(shape)), expected(shape)) << shape.options;
}

TEST(text_layout, lines_may_have_lost_the_blanks_that_they_began_with) {
  for (const Shape& shape : kShapes) EXPECT_EQ(read(without_indent(printed(shape))), expected(shape)) << shape.options;
}

TEST(text_layout, lines_may_end_as_those_of_windows) {
  for (const Shape& shape : kShapes) {
    EXPECT_EQ(read(with_windows_ends(printed(shape))), expected(shape)) << shape.options;
    EXPECT_EQ(read(with_windows_ends(without_indent(printed(shape)))), expected(shape)) << shape.options;
  }
}

TEST(text_layout, samples_follow_each_other_without_a_line_between_where_headers_tell) {
  std::string text = without_indent(printed(kShapes[0]));
  for (size_t at = 0; (at = text.find("\n\n", at)) != std::string::npos;) text.erase(at, 1);
  EXPECT_EQ(read(text), expected(kShapes[0]));
}

TEST(text_layout, periods_are_weights_also_without_an_event) {
  const std::string text = printed({"", "   2004008 ", ""});
  const auto source = borrow_source("memory", as_byte_span(text));
  const auto profile = read_profile(*source);
  ASSERT_TRUE(profile.ok());
  ASSERT_EQ(profile->value_types().size(), 2u);
  EXPECT_EQ(profile->samples.value(0, 1), 2004008);
}

TEST(text_layout, samples_of_one_line_need_no_event_and_no_module) {
  EXPECT_EQ(read("  ov 20678      555dc3602184 (anonymous namespace)::hidden\n  ov 20678      555dc360225c foo(int)\n"
                 "  ov 20678      558012345678 main\n"),
            "ov;(anonymous namespace)::hidden 1\nov;foo(int) 1\nov;main 1\n");
  EXPECT_EQ(read("ov 7  9.5:  20 cycles:  555dc3602184 (anonymous namespace)::hidden+0x2b (/bin/ov)\n"),
            "ov;(anonymous namespace)::hidden 1\n");
}

TEST(text_layout, source_lines_may_be_unknown) {
  EXPECT_EQ(read("ov 7  9.5:  20 cycles:\n\tffffffff81000e06 f ([kernel.kallsyms])\n  [kernel.kallsyms][ffffffff81000e06]\n"
                 "\t124c g (/bin/ov)\n  ov.cpp:9\n\t125c h (inlined)\n  ??:0\n\n"),
            "ov;h;g;f 1\n");
}

TEST(text_layout, other_text_is_left_to_others) {
  for (const char* text :
       {"main;foo 12\nmain;bar 3\n", "dead 3\nbeef 4\ncafe;babe 5\n", "babe face 12\nbabe feed 3\nbabe deed 4\n", "hello\n",
        "", "12 monkeys\n", "warning: nothing here\n", "a sentence, with (words) in it\n\nand another one\n"})
    EXPECT_FALSE(looks_like_perf_script(text)) << text;
  EXPECT_EQ(read("dead 3\nbeef 4\n"), "dead 3\nbeef 4\n");
}

}  // namespace atys::format::perf_script
