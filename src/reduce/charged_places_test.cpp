// SPDX-License-Identifier: Apache-2.0
#include "reduce/charged_places.h"

#include <gtest/gtest.h>

#include "support/profile_text.h"

namespace atys::reduce {

namespace {

CodeOrigins origins(const Profile& profile, const OwnCodeRules& rules = {}) {
  return {profile, 0, *OwnCode::compile(rules)};
}

// "name:line charged" and, where there is one, ", value in callee"; a line each.
std::string told(const std::vector<ChargedPlace>& places) {
  std::string text;
  for (const ChargedPlace& place : places) {
    text += place.entity.name + (place.entity.line > 0 ? ":" + std::to_string(place.entity.line) : "") + " " +
            std::to_string(static_cast<int>(place.charged));
    if (!place.callee.empty()) text += ", " + std::to_string(static_cast<int>(place.callee_value)) + " in " + place.callee;
    text += "\n";
  }
  return text;
}

std::string lines_of(const Profile& profile, const OwnCodeRules& rules = {}) {
  const CodeOrigins code = origins(profile, rules);
  return told(charged_places(profile, 0, {DimensionKind::Line, {}}, code, code.shown_as_own()));
}

// work() in app.cpp calls std::copy() in line 7 and sort() in line 8, which the compiler put into it.
Profile native_with_lines() {
  Profile profile;
  profile.add_value_type("samples", "count");
  const auto function = [&](const char* name, const char* file) {
    return profile.functions.intern({.name = profile.strings.intern(name), .filename = profile.strings.intern(file)});
  };
  const auto work = function("work", "/srv/app.cpp");
  const auto copy = function("std::copy", "");
  const auto sort = function("std::sort", "/usr/include/c++/12/bits/stl_algo.h");
  const auto frame = [&](std::vector<profile::Line> lines, uint64_t address) {
    return profile.frames.intern({.address = address, .lines = profile.lines.intern(lines)});
  };
  const auto copies = frame({{.function = copy}}, 1);
  const auto from_7 = frame({{.line = 7, .function = work}}, 2);
  const auto inlined = frame({{.line = 500, .function = sort}, {.line = 8, .function = work}}, 3);
  const auto itself = frame({{.line = 9, .function = work}}, 4);
  const auto add = [&](std::vector<profile::FrameId> frames, int64_t value) {
    profile.samples.add(profile.stacks.intern(frames), {}, std::vector<int64_t>{value});
  };
  add({copies, from_7}, 60);
  add({inlined}, 30);
  add({itself}, 10);
  return profile;
}

}  // namespace

TEST(charged_places, lines_pay_for_what_they_call) {
  EXPECT_EQ(lines_of(native_with_lines()), "work:7 60, 60 in std::copy\nwork:8 30, 30 in std::sort\nwork:9 10\n");
}

TEST(charged_places, add_up_to_the_whole_whoever_is_on_the_stack) {
  const Profile profile = test::profile_from_text(
      "main;load;std::copy 50\nmain;load;lib_parse;std::copy 20\nstd::collect 5\nlib_idle;std::wait 25");
  const CodeOrigins code = origins(profile, {.own = {}, .library = {"^lib_"}});
  for (const Origin most : {Origin::Own, Origin::Library, Origin::Runtime}) {
    double sum = 0;
    for (const ChargedPlace& place : charged_places(profile, 0, {}, code, most)) sum += place.charged;
    EXPECT_EQ(sum, 100);
  }
  EXPECT_EQ(told(charged_places(profile, 0, {}, code, Origin::Own)),
            "load 70, 50 in std::copy\nlib_idle 25, 25 in std::wait\nstd::collect 5\n");
}

TEST(charged_places, of_threads_name_their_costliest_function) {
  const Profile profile = test::profile_from_text(
      "main;serve;std::copy {thread.name=io} 30\nmain;serve;parse {thread.name=io} 10\nmain;wait {thread.name=idle} 5");
  const auto places = charged_places(profile, 0, {DimensionKind::Label, "thread.name"}, origins(profile), Origin::Own);
  EXPECT_EQ(told(places), "io 40, 30 in serve\nidle 5, 5 in wait\n");
}

TEST(charged_places, count_a_place_once_however_often_it_recurs) {
  const Profile profile = test::profile_from_text("main;f;f;f 8\nmain;f 2");
  const auto places = charged_places(profile, 0, {}, origins(profile), Origin::Own);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].total, 10);
  EXPECT_EQ(places[0].charged, 10);
}

}  // namespace atys::reduce
