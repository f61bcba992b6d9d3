// SPDX-License-Identifier: Apache-2.0
// Stacks are written as words, leaf first: `E` is the evaluator, `own` and `glue` are other code of the interpreter, `gil`
// is a landmark, `libc` starts programs and threads, anything else is foreign code. Of the language, `f` is called from the
// language, `f*` from native code.
#include "capture/native/mixed_stack.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

namespace atys::capture::native {
namespace {

constexpr uint64_t kEvaluator = 0x1000;
constexpr uint64_t kOwn = 0x2000;
constexpr uint64_t kLandmark = 0x2800;
constexpr uint64_t kForeign = 0x9000;
constexpr uint32_t kLandmarkId = 1000;

const InterpreterCode& interpreter() {
  static const InterpreterCode kCode{
      .evaluator = {{kEvaluator, kEvaluator + 0x100}, {kEvaluator + 0x800, kEvaluator + 0x900}},
      .own = {{kEvaluator, kOwn + 0x1000}},
      .landmarks = {{{kLandmark, kLandmark + 0x100}, kLandmarkId}}};
  return kCode;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

uint64_t address_of(const std::string& word) {
  if (word == "E") return kEvaluator + 0x10;
  if (word == "cold") return kEvaluator + 0x810;
  if (word == "own" || word == "glue") return kOwn + 0x10;
  return word == "gil" ? kLandmark + 0x10 : kForeign;
}

struct Mixture {
  std::string text;
  Mix mix = Mix::Exact;
};

enum class Walk { ToTheRoot, Cut };

Mixture mixture(const std::string& native, const std::string& language, Walk walk = Walk::ToTheRoot) {
  const auto names = words(native);
  const auto functions = words(language);
  std::vector<uint64_t> addresses;
  std::vector<uint8_t> is_start_code;
  for (const std::string& name : names) {
    addresses.push_back(address_of(name));
    is_start_code.push_back(name == "libc");
  }
  std::vector<LanguageFrame> frames;
  for (uint32_t i = 0; i < functions.size(); ++i) frames.push_back({i, functions[i].ends_with('*')});
  std::vector<MixedFrame> mixed;
  Mixture result;
  result.mix = mix_stacks({addresses, walk == Walk::ToTheRoot, is_start_code}, interpreter(), frames, mixed);
  for (const MixedFrame& frame : mixed) {
    std::string name = "[gil]";
    if (!frame.is_language) name = names.at(frame.number);
    if (frame.is_language && frame.number != kLandmarkId)
      name = functions.at(frame.number).substr(0, functions[frame.number].find('*'));
    result.text += (result.text.empty() ? "" : " ") + name;
  }
  return result;
}

void expect_exact(const Mixture& mixture, const std::string& text) {
  EXPECT_EQ(mixture.text, text);
  EXPECT_EQ(mixture.mix, Mix::Exact);
}

void expect_approximate(const Mixture& mixture, const std::string& text) {
  EXPECT_EQ(mixture.text, text);
  EXPECT_EQ(mixture.mix, Mix::Approximate);
}

TEST(mixed_stack, puts_each_group_in_the_place_of_its_evaluator) {
  expect_exact(mixture("memcpy array_copy E glue E own own", "load step* run*"), "memcpy array_copy load step run");
}

TEST(mixed_stack, has_one_function_for_each_evaluator_where_every_frame_is_an_entry) {
  expect_exact(mixture("E glue E glue E own libc own", "a* b* c*"), "a b c");
}

TEST(mixed_stack, keeps_foreign_code_between_two_groups) {
  expect_exact(mixture("E own sort qsort own E own", "key* run main*"), "key sort qsort run main");
}

TEST(mixed_stack, takes_a_group_that_no_entry_ends_for_the_outermost) {
  expect_exact(mixture("read E own", "a b c"), "read a b c");
  expect_exact(mixture("E own E own", "a* b c"), "a b c");
}

TEST(mixed_stack, a_function_that_is_being_entered_has_an_evaluator_more) {
  expect_exact(mixture("E glue E own", "run*"), "run");
  expect_exact(mixture("memset E glue ext E own", "run*"), "memset ext run");
}

TEST(mixed_stack, a_function_that_is_being_left_has_an_evaluator_fewer) {
  expect_exact(mixture("glue E own", "leaf* run*"), "leaf run");
  expect_exact(mixture("free glue E ext E own", "leaf* a b* run*"), "leaf free a b ext run");
}

TEST(mixed_stack, a_native_walk_that_was_cut_has_seen_the_innermost) {
  expect_exact(mixture("memcpy E glue E glue", "a* b c* d e* f*", Walk::Cut), "memcpy a b c d e f");
  expect_exact(mixture("memcpy E glue E glue", "a* b*", Walk::Cut), "memcpy a b");
}

TEST(mixed_stack, a_native_walk_that_was_cut_before_any_evaluator_goes_in_front) {
  expect_approximate(mixture("memcpy own ext", "a* b*", Walk::Cut), "memcpy ext a b");
}

TEST(mixed_stack, a_cut_walk_cannot_have_seen_more_than_there_is) {
  expect_approximate(mixture("x E y E z", "a*", Walk::Cut), "x a y z");
}

TEST(mixed_stack, is_in_one_piece_where_the_stacks_do_not_fit) {
  expect_approximate(mixture("x E y E z E own", "a*"), "x a y z");
  expect_approximate(mixture("x E y own", "a* b* c*"), "x a b c y");
}

TEST(mixed_stack, has_all_of_the_language_also_where_there_is_no_evaluator) {
  expect_approximate(mixture("x own", "a* b"), "x a b");
  expect_approximate(mixture("", "a* b"), "a b");
}

TEST(mixed_stack, without_frames_of_the_language_evaluators_vanish) {
  expect_exact(mixture("x E own", ""), "x");
  expect_approximate(mixture("x E y E own", ""), "x y");
}

TEST(mixed_stack, knows_an_evaluator_of_several_parts) { expect_exact(mixture("cold own E own", "a* b*"), "a b"); }

TEST(mixed_stack, drops_the_interpreters_own_frames_wherever_they_are) {
  expect_exact(mixture("own own x own E own y own E own", "a* b*"), "x a y b");
}

TEST(mixed_stack, shows_landmarks_among_the_frames) {
  expect_exact(mixture("futex gil own E own", "a*"), "futex [gil] a");
  expect_exact(mixture("gil E own", "a*"), "[gil] a");
}

TEST(mixed_stack, drops_what_started_the_interpreter) {
  expect_exact(mixture("E own libc libc own", "a*"), "a");
  expect_exact(mixture("x E own libc libc", "a*"), "x a");
  expect_exact(mixture("E libc", "a*"), "a");
  expect_exact(mixture("E own ext own libc libc", "a*"), "a ext");
}

TEST(mixed_stack, keeps_libc_where_it_is_not_at_the_root) {
  expect_exact(mixture("libc E own libc E own libc", "a* b*"), "libc a libc b");
}

TEST(mixed_stack, keeps_a_program_that_embeds_the_interpreter_and_what_started_it) {
  expect_exact(mixture("E own serve main libc libc _start", "a*"), "a serve main libc libc _start");
  expect_exact(mixture("E own work libc libc", "a*"), "a work libc libc");
}

// A return address may be one past the end of its function, when that ends with a call; the leaf is where it is.
TEST(mixed_stack, looks_at_the_call_and_not_at_where_it_returns_to) {
  const uint64_t past_evaluator = kEvaluator + 0x100;
  const std::vector<uint8_t> no_start_code(2, 0);
  const std::vector<LanguageFrame> frames{{7, true}};
  std::vector<MixedFrame> mixed;
  EXPECT_EQ(mix_stacks({std::vector<uint64_t>{kForeign, past_evaluator}, true, no_start_code}, interpreter(), frames, mixed),
            Mix::Exact);
  EXPECT_EQ(mixed, (std::vector<MixedFrame>{{false, 0}, {true, 7}}));
  mixed.clear();
  EXPECT_EQ(mix_stacks({std::vector<uint64_t>{past_evaluator, kForeign}, true, no_start_code}, interpreter(), frames, mixed),
            Mix::Approximate);
  mixed.clear();
  const uint64_t past_landmark = kLandmark + 0x100;
  mix_stacks({std::vector<uint64_t>{kForeign, past_landmark}, true, no_start_code}, interpreter(), {}, mixed);
  EXPECT_EQ(mixed, (std::vector<MixedFrame>{{false, 0}, {true, kLandmarkId}}));
}

TEST(mixed_stack, appends_to_what_is_there) {
  std::vector<MixedFrame> mixed{{true, 3}};
  mix_stacks({std::vector<uint64_t>{kForeign}, true, std::vector<uint8_t>{0}}, interpreter(), {}, mixed);
  EXPECT_EQ(mixed, (std::vector<MixedFrame>{{true, 3}, {false, 0}}));
}

}  // namespace
}  // namespace atys::capture::native
