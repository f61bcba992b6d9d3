// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "format/format.h"
#include "format/jfr/event_rules.h"
#include "format/jfr/java_names.h"
#include "format/jfr/jfr_reader.h"
#include "format/jfr/settings.h"
#include "profile/kinds.h"
#include "support/jfr_chunk.h"

namespace atys::format::jfr {

namespace {

using test::Fields;
using test::TestChunk;
using test::TestClass;

enum Type : int {
  kBool = 10,
  kByteType,
  kInt,
  kLong,
  kString,
  kSymbol = 20,
  kClassType,
  kMethodType,
  kFrameType,
  kFrame,
  kTrace,
  kThreadType,
  kThreadState,
  kExecution = 101,
  kWall,
  kAlloc,
  kMonitor,
  kSetting,
  kRecordingType,
  kMachine,
  kCpuTime,
};

const std::vector<TestClass>& classes() {
  static const std::vector<TestClass> all{
      {kBool, "boolean"},
      {kByteType, "byte"},
      {kInt, "int"},
      {kLong, "long"},
      {kString, "java.lang.String"},
      {kSymbol, "jdk.types.Symbol", {{"string", kString}}},
      {kClassType, "java.lang.Class", {{"modifiers", kInt}, {"name", kSymbol, 'c'}}},
      {kMethodType, "jdk.types.Method", {{"type", kClassType, 'c'}, {"name", kSymbol, 'c'}, {"descriptor", kSymbol, 'c'}}},
      {kFrameType, "jdk.types.FrameType", {{"description", kString}}},
      {kFrame, "jdk.types.StackFrame", {{"method", kMethodType, 'c'}, {"lineNumber", kInt}, {"type", kFrameType, 'c'}}},
      {kTrace, "jdk.types.StackTrace", {{"truncated", kBool}, {"frames", kFrame, 'a'}}},
      {kThreadType, "java.lang.Thread", {{"osName", kString}, {"osThreadId", kLong}, {"javaName", kString}}},
      {kThreadState, "jdk.types.ThreadState", {{"name", kString}}},
      // The order of fields is that of no recorder.
      {kExecution,
       "jdk.ExecutionSample",
       {{"stackTrace", kTrace, 'c'}, {"extra", kFrame}, {"sampledThread", kThreadType, 'c'}}},
      {kWall,
       "profiler.WallClockSample",
       {{"startTime", kLong},
        {"sampledThread", kThreadType, 'c'},
        {"stackTrace", kTrace, 'c'},
        {"state", kThreadState, 'c'},
        {"samples", kInt}}},
      {kAlloc,
       "jdk.ObjectAllocationInNewTLAB",
       {{"stackTrace", kTrace, 'c'}, {"objectClass", kClassType, 'c'}, {"allocationSize", kLong}, {"tlabSize", kLong}}},
      {kMonitor, "jdk.JavaMonitorEnter", {{"duration", kLong, 'v', "TICKS"}, {"stackTrace", kTrace, 'c'}}},
      {kSetting, "jdk.ActiveSetting", {{"id", kLong}, {"name", kString}, {"value", kString}}},
      {kRecordingType, "jdk.ActiveRecording"},
      {kMachine, "jdk.JVMInformation", {{"jvmVersion", kString}, {"pid", kLong}}},
      {kCpuTime, "jdk.CPUTimeSample", {{"stackTrace", kTrace, 'c'}, {"samplingPeriod", kLong, 'v', "MILLISECONDS"}}},
  };
  return all;
}

// main (JIT compiled, line 7) calls work (Interpreted, line 9) calls memset (of a library): trace 1.
void add_constants(TestChunk& chunk) {
  int64_t key = 0;
  for (const char* text : {"org/x/App", "main", "work", "([Ljava/lang/String;)V", "libc.so.6", "memset", "()L;", "[B"}) {
    chunk.constant(kSymbol, ++key, chunk.fields().text(text));
  }
  chunk.constant(kClassType, 1, chunk.fields().i32(1).i64(1));
  chunk.constant(kClassType, 2, chunk.fields().i32(1).i64(5));
  chunk.constant(kClassType, 3, chunk.fields().i32(1).i64(8));
  chunk.constant(kMethodType, 1, chunk.fields().i64(1).i64(2).i64(4));
  chunk.constant(kMethodType, 2, chunk.fields().i64(1).i64(3).i64(4));
  chunk.constant(kMethodType, 3, chunk.fields().i64(2).i64(6).i64(7));
  key = 0;
  for (const char* text : {"Interpreted", "JIT compiled", "Native", "Kernel"}) {
    chunk.constant(kFrameType, ++key, chunk.fields().text(text));
  }
  Fields trace = chunk.fields().byte(0).i32(3);
  trace.i64(3).i32(0).i64(3).i64(2).i32(9).i64(1).i64(1).i32(7).i64(2);
  chunk.constant(kTrace, 1, trace);
  chunk.constant(kThreadType, 1, chunk.fields().text("pool-1").i64(42).text("worker"));
  chunk.constant(kThreadState, 1, chunk.fields().text("STATE_SLEEPING"));
}

void add_setting(TestChunk& chunk, int about, std::string_view name, std::string_view value) {
  chunk.event(kSetting, chunk.fields().i64(about).text(name).text(value));
}

Fields execution(const TestChunk& chunk, int64_t trace = 1) { return chunk.fields().i64(trace).i64(1).i32(5).i64(1).i64(1); }

Profile read(const std::string& bytes) {
  const auto source = borrow_source("memory", as_byte_span(bytes));
  auto profile = read_profile(*source);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? profile.take() : Profile{};
}

std::string error_of(const std::string& bytes) {
  const auto profile = read_jfr(bytes);
  return profile.ok() ? "" : profile.error().message;
}

// "type/unit=sum", in the order of the columns.
std::string sums(const Profile& profile) {
  std::string text;
  for (size_t column = 0; column < profile.value_types().size(); ++column) {
    int64_t sum = 0;
    for (const int64_t value : profile.samples.values(column)) sum += value;
    const auto type = profile.value_types()[column];
    text += (text.empty() ? "" : " ") + std::string(profile.text(type.type)) + "/" + std::string(profile.text(type.unit)) +
            "=" + std::to_string(sum);
  }
  return text;
}

// "name:line kind attribute", leaf first.
std::vector<std::string> frames_of(const Profile& profile, size_t row) {
  std::vector<std::string> all;
  for (const profile::FrameId id : profile.stacks[profile.samples.stack(row)]) {
    const profile::Frame& frame = profile.frames[id];
    std::string text = frame_name(profile, id) + ":" + std::to_string(profile.lines[frame.lines].front().line);
    text += " " + std::string(profile.text(frame.kind));
    for (const profile::LabelId label : profile.label_sets[frame.attributes]) {
      text += " " + std::string(profile.text(profile.labels[label].text));
    }
    all.push_back(text);
  }
  return all;
}

std::string labels_of(const Profile& profile, size_t row) {
  std::string text;
  for (const profile::LabelId id : profile.label_sets[profile.samples.labels(row)]) {
    const profile::Label& label = profile.labels[id];
    const bool is_text = label.type == profile::LabelType::String;
    text += std::string(profile.text(label.key)) + "=" +
            (is_text ? std::string(profile.text(label.text)) : std::to_string(label.number)) + " ";
  }
  return text;
}

class Jfr : public testing::TestWithParam<Encoding> {};

TEST_P(Jfr, keeps_times_if_asked) {
  TestChunk chunk(classes(), GetParam());
  add_constants(chunk);
  chunk.ticks_per_second = 1'000'000;
  for (const int64_t ticks : {5, 7}) chunk.event(kWall, chunk.fields().i64(ticks).i64(1).i64(1).i64(1).i32(3));
  const std::string bytes = chunk.bytes();
  EXPECT_EQ(read(bytes).samples.size(), 1u);
  EXPECT_FALSE(read(bytes).samples.has_times());
  const auto timed = read_jfr(bytes, true);
  ASSERT_TRUE(timed.ok());
  ASSERT_EQ(timed->samples.size(), 2u);
  EXPECT_EQ(timed->samples.time_ns(0), chunk.start_ns + 5000);
  EXPECT_EQ(timed->samples.time_ns(1), chunk.start_ns + 7000);
}

TEST_P(Jfr, reads_frames_threads_and_weights_by_the_layout_in_the_file) {
  TestChunk chunk(classes(), GetParam());
  add_constants(chunk);
  add_setting(chunk, kRecordingType, "version", "4.5");
  add_setting(chunk, kRecordingType, "event", "cpu");
  add_setting(chunk, kExecution, "interval", "5000000");
  chunk.event(kExecution, execution(chunk)).event(kExecution, execution(chunk));
  const Profile profile = read(chunk.bytes());
  EXPECT_EQ(sums(profile), "samples/count=2 cpu/nanoseconds=10000000");
  ASSERT_EQ(profile.samples.size(), 1u);
  EXPECT_EQ(frames_of(profile, 0),
            (std::vector<std::string>{"memset:0 native", "org.x.App.work:9 jvm interpreted", "org.x.App.main:7 jvm jit"}));
  EXPECT_EQ(labels_of(profile, 0), "thread.id=42 thread.name=worker ");
  EXPECT_EQ(profile.header.time_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(profile.header.duration_ns, 2'000'000'000);
  EXPECT_EQ(profile.header.period, 5'000'000);
  EXPECT_EQ(profile.text(profile.header.default_value_type), "cpu");
}

TEST_P(Jfr, keeps_families_of_events_in_columns_of_their_own) {
  TestChunk chunk(classes(), GetParam());
  chunk.ticks_per_second = 1'000'000;
  add_constants(chunk);
  add_setting(chunk, kRecordingType, "version", "4.5");
  add_setting(chunk, kExecution, "wall", "20000000");
  chunk.event(kExecution, execution(chunk));
  chunk.event(kWall, chunk.fields().i64(0).i64(1).i64(1).i64(1).i32(3));
  chunk.event(kAlloc, chunk.fields().i64(1).i64(3).i64(100).i64(1000));
  chunk.event(kMonitor, chunk.fields().i64(250).i64(1));
  const Profile profile = read(chunk.bytes());
  EXPECT_EQ(sums(profile),
            "samples/count=1 cpu/nanoseconds=10000000 wall_samples/count=3 wall/nanoseconds=60000000 "
            "alloc_objects/count=10 alloc_space/bytes=1000 contentions/count=1 lock/nanoseconds=250000");
  ASSERT_EQ(profile.samples.size(), 4u);
  EXPECT_EQ(labels_of(profile, 1), "state=sleeping thread.id=42 thread.name=worker ");
  EXPECT_EQ(labels_of(profile, 2), "class=byte[] ");
}

INSTANTIATE_TEST_SUITE_P(Encodings, Jfr, testing::Values(Encoding::Plain, Encoding::Compressed),
                         [](const auto& tested) { return tested.param == Encoding::Plain ? "plain" : "compressed"; });

TEST(jfr, names_columns_as_our_kinds_are_named) {
  for (const auto& [family, name] : {std::pair(Family::Cpu, "cpu"), {Family::Alloc, "alloc"}, {Family::Lock, "lock"}}) {
    const profile::KindRow* kind = profile::find_kind(name);
    ASSERT_NE(kind, nullptr) << name;
    EXPECT_EQ(columns_of(family).count, kind->columns.count);
    EXPECT_EQ(columns_of(family).weight, kind->columns.weight);
    EXPECT_EQ(columns_of(family).unit, kind->columns.unit);
  }
  EXPECT_EQ(columns_of(Family::Wall).weight, profile::find_kind("wall")->columns.weight) << "of both clocks in one file";
}

TEST(jfr, adds_chunks_up_though_their_classes_have_other_numbers) {
  TestChunk first(classes());
  add_constants(first);
  first.event(kExecution, execution(first));
  std::vector<TestClass> shifted = classes();
  for (TestClass& each : shifted) {
    each.id += 1000;
    for (auto& field : each.fields) field.type += 1000;
  }
  TestChunk second(shifted);
  second.start_ns = first.start_ns + first.duration_ns;
  second.constant(kTrace + 1000, 7, second.fields().byte(1).i32(0));
  second.event(kExecution + 1000, execution(second, 7)).event(kExecution + 1000, execution(second, 8));
  const Profile profile = read(first.bytes() + second.bytes());
  EXPECT_EQ(sums(profile), "samples/count=3");
  EXPECT_EQ(profile.header.duration_ns, 4'000'000'000);
  ASSERT_EQ(profile.losses.size(), 2u);
  EXPECT_EQ(profile.text(profile.losses[0].reason), "stacks that the recorder cut short");
  EXPECT_EQ(profile.text(profile.losses[1].reason), "stacks that are not in the file");
}

TEST(jfr, finds_constants_in_any_checkpoint_also_after_the_events) {
  TestChunk chunk(classes());
  Fields trace = chunk.fields().byte(0).i32(1);
  chunk.constant(kTrace, 1, trace.i64(9).i32(3).i64(9)).checkpoint();
  chunk.event(kExecution, execution(chunk));
  chunk.constant(kMethodType, 9, chunk.fields().i64(9).i64(8).i64(8)).checkpoint();
  chunk.constant(kClassType, 9, chunk.fields().i32(0).i64(7));
  chunk.constant(kSymbol, 8, chunk.fields().text("late")).constant(kSymbol, 7, chunk.fields().text("a/B"));
  chunk.constant(kFrameType, 9, chunk.fields().text("C1 compiled"));
  EXPECT_EQ(frames_of(read(chunk.bytes()), 0), std::vector<std::string>{"a.B.late:3 jvm c1"});
}

TEST(jfr, takes_the_interval_of_hotspot_from_its_period) {
  TestChunk chunk(classes());
  add_constants(chunk);
  add_setting(chunk, kExecution, "period", "20 ms");
  chunk.event(kExecution, execution(chunk));
  chunk.event(kMachine, chunk.fields().text("17.0.1").i64(99));
  const Profile profile = read(chunk.bytes());
  EXPECT_EQ(sums(profile), "samples/count=1 cpu/nanoseconds=20000000");
  ASSERT_EQ(profile.provenance.size(), 2u);
  EXPECT_EQ(profile.text(profile.provenance[0].value), "17.0.1");
  EXPECT_EQ(profile.text(profile.provenance[1].value), "99");
}

TEST(jfr, takes_the_period_that_a_sample_brings_in_the_unit_of_its_annotation) {
  TestChunk chunk(classes());
  add_constants(chunk);
  chunk.event(kCpuTime, chunk.fields().i64(1).i64(7));
  EXPECT_EQ(sums(read(chunk.bytes())), "samples/count=1 cpu/nanoseconds=7000000");
}

TEST(jfr, calls_samples_of_another_event_by_its_name) {
  TestChunk chunk(classes());
  add_constants(chunk);
  add_setting(chunk, kRecordingType, "version", "4.5");
  add_setting(chunk, kRecordingType, "event", "cache-misses");
  add_setting(chunk, kExecution, "interval", "1000");
  chunk.event(kExecution, execution(chunk));
  EXPECT_EQ(sums(read(chunk.bytes())), "cache-misses/count=1");
}

TEST(jfr, sees_samples_of_the_wall_clock_in_the_execution_samples_of_old_profilers) {
  TestChunk chunk(classes());
  add_constants(chunk);
  add_setting(chunk, kRecordingType, "version", "2.9");
  add_setting(chunk, kRecordingType, "event", "wall");
  add_setting(chunk, kExecution, "interval", "30000000");
  chunk.event(kExecution, execution(chunk));
  EXPECT_EQ(sums(read(chunk.bytes())), "samples/count=1 wall/nanoseconds=30000000");
}

TEST(jfr, refuses_every_recording_that_is_cut_short) {
  TestChunk chunk(classes());
  add_constants(chunk);
  chunk.event(kExecution, execution(chunk));
  const std::string whole = chunk.bytes();
  ASSERT_EQ(error_of(whole), "");
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_NE(error_of(whole.substr(0, size)).find("at offset"), std::string::npos) << size;
  }
}

TEST(jfr, refuses_a_class_that_contains_itself) {
  std::vector<TestClass> odd = classes();
  odd.push_back({200, "loop", {{"a", 200}, {"b", 200}}});
  odd.push_back({201, "jdk.ThreadPark", {{"x", 200}}});
  TestChunk chunk(odd);
  chunk.event(201, chunk.fields());
  EXPECT_NE(error_of(chunk.bytes()).find("do not describe"), std::string::npos);
}

TEST(jfr, is_not_held_up_by_arrays_of_nothing) {
  std::vector<TestClass> odd = classes();
  odd.push_back({200, "nothing"});
  odd.push_back({201, "jdk.ThreadPark", {{"x", 200, 'a'}}});
  TestChunk chunk(odd);
  chunk.event(201, chunk.fields().i32(0x7fffffff));
  EXPECT_NE(error_of(chunk.bytes()).find("larger than what follows"), std::string::npos);
}

TEST(jfr, refuses_versions_that_nobody_writes_any_more) {
  std::string bytes = TestChunk(classes()).bytes();
  bytes[5] = 1;
  EXPECT_NE(error_of(bytes).find("version 1"), std::string::npos);
}

TEST(jfr_names, are_as_people_write_them) {
  EXPECT_EQ(class_name("java/lang/String"), "java.lang.String");
  EXPECT_EQ(class_name("[[J"), "long[][]");
  EXPECT_EQ(class_name("[Lorg/x/Y;"), "org.x.Y[]");
  EXPECT_EQ(class_name("["), "[]");
  EXPECT_EQ(state_name("STATE_RUNNABLE"), "runnable");
}

TEST(jfr_settings, know_times_with_units_and_without) {
  EXPECT_EQ(parse_interval_ns("20 ms"), 20'000'000);
  EXPECT_EQ(parse_interval_ns("1 s"), 1'000'000'000);
  EXPECT_EQ(parse_interval_ns("500"), 500);
  EXPECT_EQ(parse_interval_ns("everyChunk"), 0);
  EXPECT_EQ(parse_interval_ns("99999999999999 d"), 0);
}

}  // namespace

}  // namespace atys::format::jfr
