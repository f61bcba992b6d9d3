// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "format/perf_script/perf_script_reader.h"
#include "format/perf_script/sample_line.h"
#include "profile/profile.h"
#include "support/profile_text.h"

namespace atys::format::perf_script {

namespace {

Result<Profile> try_read(std::string_view text, const ReadPlan& plan = {}) {
  const auto source = borrow_source("memory", as_byte_span(text));
  return read_perf_script(*source, plan);
}

Profile read(std::string_view text, const ReadPlan& plan = {}) {
  auto profile = try_read(text, plan);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? profile.take() : Profile{};
}

uint64_t loss(const Profile& profile, std::string_view reason) {
  for (const profile::Loss& entry : profile.losses) {
    if (profile.text(entry.reason) == reason) return entry.count;
  }
  return 0;
}

std::string value_types(const Profile& profile) {
  std::string names;
  for (const auto& type : profile.value_types()) {
    names += std::string(profile.text(type.type)) + "/" + std::string(profile.text(type.unit)) + " ";
  }
  return names + "default " + std::to_string(profile.default_value_column());
}

constexpr std::string_view kTwoSamples =
    "dd 29776 666709.771979:   10101010 cpu-clock: \n"
    "\t          414b3b vfs_read+0x1f (/lib/modules/4.1.0/build/vmlinux)\n"
    "\t           e5f70 read (/lib/libc-2.15.so)\n"
    "\n"
    "dd 29776 666709.771989:   10101010 cpu-clock: \n"
    "\t            31ef [unknown] (/bin/dd)\n"
    "\t               0 [unknown] ([unknown])\n"
    "\n";

}  // namespace

TEST(perf_script, keeps_times_if_asked) {
  std::string text;
  for (int i = 0; i < 3; ++i) text += kTwoSamples;
  EXPECT_FALSE(read(text).samples.has_times());
  // Samples of one moment and one stack are still one row; in pieces too.
  for (const size_t piece : {size_t{4} << 20, size_t{64}}) {
    const Profile profile = read(text, {.threads = 2, .piece_bytes = piece, .keeps_times = true});
    ASSERT_EQ(profile.samples.size(), 2u);
    std::vector<int64_t> times{profile.samples.time_ns(0), profile.samples.time_ns(1)};
    std::ranges::sort(times);
    EXPECT_EQ(times, (std::vector<int64_t>{666709771979000, 666709771989000}));
    EXPECT_EQ(test::to_text(profile), test::to_text(read(text)));
  }
}

TEST(perf_script, reads_samples_with_commands_kinds_and_periods) {
  const Profile profile = read(kTwoSamples);
  EXPECT_EQ(test::to_text(profile),
            "dd[process];[unknown];[dd] {thread.id=29776} 1 10101010\n"
            "dd[process];read;vfs_read[kernel] {thread.id=29776} 1 10101010\n");
  EXPECT_EQ(value_types(profile), "samples/count cpu-clock/nanoseconds default 1");
  EXPECT_EQ(profile.header.duration_ns, 10'000);
  EXPECT_TRUE(profile.losses.empty());
}

TEST(perf_script, keeps_addresses_modules_and_whole_symbols) {
  const Profile profile = read("a 1 cycles:\n\t ab a::b(int)+0x3 (/lib/x.so+0x10)\n\n");
  const auto& frame = profile.frames[profile.stacks[profile.samples.stack(0)][0]];
  EXPECT_EQ(frame.address, 0xabu);
  EXPECT_EQ(profile.text(profile.mappings[frame.mapping].filename), "/lib/x.so");
  const auto& function = profile.functions[profile.lines[frame.lines][0].function];
  EXPECT_EQ(profile.text(function.name), "a::b(int)");
}

TEST(perf_script, reads_output_without_periods) {
  EXPECT_EQ(value_types(read("node 31912 cpu-clock: \n  13a f (/x)\n\n")), "samples/count default 0");
}

TEST(perf_script, gives_each_of_several_events_a_column_and_a_label) {
  const Profile profile = read(
      "a 5/6 [001] 1.000001: 100 cycles:u:\n\t1 f (/x)\n\n"
      "a 5/6 [001] 1.000002: sched:sched_switch: prev_comm=a prev_pid=6\n\t1 f (/x)\n\n"
      "a 5/6 [002] 1.000003: 100 cycles:u:\n\t1 f (/x)\n\n");
  EXPECT_EQ(test::to_text(profile),
            "a[process];f {event=cycles:u,process.pid=5,thread.id=6} 2 200 0\n"
            "a[process];f {event=sched:sched_switch,process.pid=5,thread.id=6} 1 0 1\n");
  EXPECT_EQ(value_types(profile), "samples/count cycles:u/count sched:sched_switch/count default 1");
}

TEST(perf_script, reads_headers_of_many_shapes) {
  const auto shape = [](std::string_view line) -> std::string {
    const auto header = parse_header(line);
    if (!header) return "none";
    return std::string(header->comm) + "|" + std::to_string(header->pid) + "|" + std::to_string(header->tid) + "|" +
           std::to_string(header->time_ns.value_or(-1)) + "|" + std::to_string(header->period.value_or(-1)) + "|" +
           std::string(header->event) + "|" + std::string(header->rest);
  };
  EXPECT_EQ(shape("swapper     0 [000]  12.000000001:          1 cycles:ppp: "), "swapper|-1|0|12000000001|1|cycles:ppp|");
  EXPECT_EQ(shape("Chrome IO 2 44/45 12.5: cycles:"), "Chrome IO 2|44|45|12500000000|-1|cycles|");
  EXPECT_EQ(shape(":-1 -1/-1 1.5: cycles:"), ":-1|-1|-1|1500000000|-1|cycles|");
  EXPECT_EQ(shape("x 7 1.5:"), "x|-1|7|1500000000|-1||");
  EXPECT_EQ(shape("x 7"), "x|-1|7|-1|-1||");
  EXPECT_EQ(shape("7/8 1.5: cpu/cycles/u:  ab f (/x)"), "|7|8|1500000000|-1|cpu/cycles/u|ab f (/x)");
  EXPECT_EQ(shape("no ids at all"), "none");
  EXPECT_EQ(shape("x 7 12"), "x 7|-1|12|-1|-1||");
  EXPECT_EQ(shape(""), "none");
}

TEST(perf_script, reads_samples_on_one_line) {
  const Profile profile = read(
      "            perf  3214 [000]  1.000000:          1 cycles:  ffffffff810 native_write_msr+0x6 ([kernel.kallsyms])\n"
      "              ls  3215 [000]  2.000000:          7 cycles:         55d main (/bin/ls)\n");
  EXPECT_EQ(test::to_text(profile),
            "ls[process];main {thread.id=3215} 1 7\n"
            "perf[process];native_write_msr[kernel] {thread.id=3214} 1 1\n");
  EXPECT_TRUE(profile.losses.empty());
}

TEST(perf_script, reads_inlined_frames_source_lines_and_odd_frames) {
  const Profile profile = read(
      "my app 1 cycles:\n"
      "\tab inner (inlined)\n"
      "\tab outer+0x1 (/bin/x)\n"
      "  outer.c:12\n"
      "\tb2 gone (/tmp/x (deleted))\n"
      "\tb3 (/bin/x)\n"
      "\tb4 bare(int)\n"
      "\tb5\n"
      "  ??:0\n"
      "\n");
  EXPECT_EQ(test::to_text(profile),
            "my_app[process];0xb5[unknown];bare(int);x+0xb3;gone;outer;inner[inlined] {thread.id=1} 1\n");
  const auto stack = profile.stacks[profile.samples.stack(0)];
  const auto& line = profile.lines[profile.frames[stack[1]].lines][0];
  EXPECT_EQ(line.line, 12);
  EXPECT_EQ(profile.text(profile.functions[line.function].filename), "outer.c");
  EXPECT_EQ(profile.text(profile.mappings[profile.frames[stack[2]].mapping].filename), "/tmp/x (deleted)");
  EXPECT_TRUE(profile.losses.empty());
}

TEST(perf_script, reads_comments_as_provenance_and_windows_line_ends) {
  const Profile profile = read("# ========\r\n# hostname : web-7\r\n#\r\na 1 cycles:\r\n\t1 f (/x)\r\n\r\n");
  EXPECT_EQ(test::to_text(profile), "a[process];f {thread.id=1} 1\n");
  ASSERT_EQ(profile.provenance.size(), 1u);
  EXPECT_EQ(profile.text(profile.provenance[0].value), "web-7");
}

TEST(perf_script, counts_lines_that_it_cannot_read) {
  const Profile profile = read("warning\na 1 cycles:\n\t1 f (/x)\n\t!\nnonsense\n\nb 1 cycles:\n\nmore nonsense here\n");
  EXPECT_EQ(test::to_text(profile), "a[process];f {thread.id=1} 1\nb[process] {thread.id=1} 1\n");
  EXPECT_EQ(loss(profile, "unreadable-line"), 4u);
}

TEST(perf_script, refuses_text_in_which_nothing_fits) {
  const auto profile = try_read("# comment\nnothing\nhere\n");
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().message, "bad perf script data at offset 10: no line looks like the header of a sample");
}

TEST(perf_script, leaves_out_a_last_sample_that_was_cut_off) {
  const Profile profile = read("a 1 cycles:\n\t1 f (/x)\n\na 1 cycles:\n\t2 g (/x)\n");
  EXPECT_EQ(test::to_text(profile), "a[process];f {thread.id=1} 1\n");
  EXPECT_EQ(loss(profile, "truncated-sample"), 1u);
  EXPECT_EQ(test::to_text(read("a 1 cycles:\n\t2 g (/x)")), "a[process];g {thread.id=1} 1\n");
}

TEST(perf_script, gives_the_same_with_any_threads_and_pieces) {
  std::string text = "# hostname : h\n";
  std::string one_line;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i % 97);
    text +=
        "a b " + n + "/" + n + " 1." + std::to_string(100000 + i) + ": " + n + (i % 3 == 0 ? " cycles:\n" : " faults:u:\n");
    for (int depth = 0; depth <= i % 7; ++depth)
      text += "\t" + std::to_string(depth + i % 11) + " f" + std::to_string(i % 13) + " (/x)\n";
    text += i % 5 == 0 ? "\r\n" : "\n";
    one_line += "   x " + n + " 1.5: " + n + " cycles: " + n + " f" + n + "+0x1 (/x)\n";
  }
  for (const std::string& whole : {text, one_line}) {
    const Profile expected = read(whole, {.threads = 1, .piece_bytes = whole.size() * 2});
    EXPECT_EQ(loss(expected, "unreadable-line"), 0u);
    for (const size_t piece : {64, 1000, 50000}) {
      EXPECT_EQ(test::to_text(read(whole, {.threads = 4, .piece_bytes = piece})), test::to_text(expected));
      EXPECT_TRUE(equivalent(read(whole, {.threads = 1, .piece_bytes = piece}), expected));
    }
  }
}

TEST(perf_script, reads_deep_stacks_long_lines_and_many_events) {
  std::string text = "a 1 cycles:\n";
  for (int i = 0; i < 20000; ++i) text += "\t1 f (/x)\n";
  text += "\t2 " + std::string(1 << 20, '(') + "<{ (/x)\n\n" + std::string(1 << 20, ' ') + "\n" + std::string(1 << 20, '7') +
          " 1\n";
  for (int i = 0; i < 1000; ++i) text += "a 1 event" + std::to_string(i) + ":\n\n";
  const Profile profile = read(text, {.threads = 2, .piece_bytes = 4096});
  EXPECT_LE(profile.value_types().size(), 66u);
  EXPECT_EQ(
      std::ranges::max(profile.stacks[profile.samples.stack(0)].size(), profile.stacks[profile.samples.stack(1)].size()),
      20002u);
}

TEST(perf_script, recognises_its_text) {
  EXPECT_TRUE(looks_like_perf_script(kTwoSamples));
  EXPECT_TRUE(looks_like_perf_script("# ========\n# captured on: Sun"));
  EXPECT_TRUE(looks_like_perf_script("node 31912 cpu-clock: \n  13a f (/x)\n\n"));
  EXPECT_TRUE(looks_like_perf_script("  perf 1 [000] 1.5: 1 cycles: ff f (/x)\n"));
  EXPECT_FALSE(looks_like_perf_script("main;foo 12\nmain;bar 3\n"));
  EXPECT_FALSE(looks_like_perf_script("a b+0x3f;c+0x3f 1\na b+0x3f;c d+0x5"));
  EXPECT_FALSE(looks_like_perf_script("babe f+0x12 -3\n"));
  EXPECT_FALSE(looks_like_perf_script(""));
  EXPECT_FALSE(looks_like_perf_script("hello\n"));
}

}  // namespace atys::format::perf_script
