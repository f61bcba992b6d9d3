// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/controller_clock.h"

#include <gtest/gtest.h>

#include "fleet/clock_agreement.h"
#include "fleet/window_labels.h"
#include "fleet/wire/shift_times.h"
#include "format/otlp/binary_codec.h"
#include "support/fleet_windows.h"

namespace atys::fleet {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kHour = 3600 * kSecond;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kTrueTime = 1'790'000'000 * kSecond;  // when the machine had been up for 1000 s
constexpr int64_t kUp = 1000 * kSecond;

// A machine whose clock is ahead by so much.
ClockReading at(int64_t seconds, int64_t ahead_ns) {
  return {kTrueTime + seconds * kSecond + ahead_ns, kUp + seconds * kSecond};
}
ClockStamp window_at(int64_t seconds, int64_t ahead_ns) {
  const ClockReading end = at(seconds, ahead_ns);
  return stamp_of(end.wall_ns - 10 * kSecond, 10 * kSecond, end, "b007");
}
void tell(ControllerClock& clock, int64_t seconds, int64_t ahead_ns, bool ours = false, bool its = false) {
  clock.note(at(seconds, ahead_ns), at(seconds, ahead_ns), kTrueTime + seconds * kSecond, ours, its);
}

}  // namespace

TEST(controller_clock, windows_of_a_clock_that_is_off_are_put_right_by_as_much) {
  for (const int64_t ahead : {kHour, -3 * kDay, 365 * kDay, -kTrueTime + kSecond}) {
    ControllerClock clock("b007");
    EXPECT_FALSE(clock.shift_of(window_at(0, ahead))) << "nobody has told the time yet";
    tell(clock, 5, ahead);
    EXPECT_EQ(clock.shift_of(window_at(0, ahead)), -ahead);
    EXPECT_EQ(clock.ahead_ns(), ahead);
    EXPECT_NE(clock.trouble().find("NTP"), std::string::npos) << clock.trouble();
  }
}

TEST(controller_clock, what_was_recorded_before_the_clock_was_set_is_put_right_too) {
  ControllerClock clock("b007");
  const ClockStamp before = window_at(0, -400 * kDay);
  tell(clock, 100, 0);  // set meanwhile
  EXPECT_EQ(clock.shift_of(before), 400 * kDay);
  EXPECT_EQ(clock.shift_of(window_at(101, 0)), 0);
  EXPECT_EQ(clock.trouble(), "");
}

TEST(controller_clock, a_window_in_which_the_clock_was_set_has_ended_just_now) {
  ControllerClock clock("b007");
  tell(clock, 100, 0);
  // It began by a clock that was an hour ahead, and is handed over by one that is right.
  const ClockStamp stamp = stamp_of(kTrueTime + 90 * kSecond + kHour, 10 * kSecond, at(100, 0), "b007");
  EXPECT_EQ(clock.shift_of(stamp), -kHour);
  // That naming it took a while is no such case.
  EXPECT_EQ(clock.shift_of(stamp_of(kTrueTime, 10 * kSecond, at(100, 0), "b007")), 0);
}

TEST(controller_clock, little_differences_and_slow_networks_shift_nothing) {
  ControllerClock clock("b007");
  tell(clock, 5, 9 * kSecond);
  EXPECT_EQ(clock.shift_of(window_at(0, 9 * kSecond)), 0);
  EXPECT_EQ(clock.trouble(), "");
  // The answer took a minute: its time may be of any moment of it.
  clock.note(at(100, 0), at(160, 0), kTrueTime + 101 * kSecond, false, false);
  EXPECT_EQ(clock.shift_of(window_at(90, 0)), 0);
  EXPECT_FALSE(clock.is_off());
}

TEST(controller_clock, a_clock_that_is_kept_right_does_not_follow_one_that_is_not) {
  ControllerClock clock("b007");
  tell(clock, 5, -400 * kDay, /*ours=*/true, /*its=*/false);
  EXPECT_EQ(clock.shift_of(window_at(0, -400 * kDay)), 0);
  EXPECT_NE(clock.trouble().find("controller's machine"), std::string::npos) << clock.trouble();
  tell(clock, 6, -400 * kDay, true, true);
  EXPECT_EQ(clock.shift_of(window_at(0, -400 * kDay)), 400 * kDay);
}

TEST(controller_clock, of_another_boot_and_for_a_receiver_without_a_time_times_are_as_they_are) {
  ControllerClock clock("b007");
  tell(clock, 5, kHour);
  EXPECT_EQ(clock.shift_of({"0ld", -kDay}), 0);
  ControllerClock plain("b007");
  plain.note_silence();
  EXPECT_EQ(plain.shift_of(window_at(0, kHour)), 0);
  EXPECT_FALSE(plain.is_off());
}

TEST(shift_times, shifts_all_times_and_says_so) {
  constexpr int64_t kStart = kTrueTime + kHour;
  const std::string sent =
      test::otlp_bytes({.stacks = "main;f 3\n",
                        .attributes = {{std::string(kServiceName), "shop"},
                                       {std::string(kStretch), "8-" + std::to_string(kStart / 1'000'000)}},
                        .start_ns = kStart});
  const auto shifted = shift_times(sent, -kHour);
  ASSERT_TRUE(shifted.ok());
  const auto data = format::otlp::decode_binary(*shifted);
  ASSERT_TRUE(data.ok());
  const auto& resource = data->resource_profiles.at(0);
  EXPECT_EQ(resource.scope_profiles.at(0).profiles.at(0).time_unix_nano, static_cast<uint64_t>(kTrueTime));
  std::map<std::string, std::string> attributes;
  for (const auto& attribute : resource.resource.attributes)
    if (const auto* text = attribute.value.get<std::string>()) attributes[attribute.key] = *text;
  EXPECT_EQ(attributes[std::string(kStretch)], "8-" + std::to_string(kTrueTime / 1'000'000));
  EXPECT_EQ(attributes[std::string(kClockLabel)], kClockShifted);
  EXPECT_FALSE(shift_times("no message", kHour).ok());
}

TEST(clock_difference, is_for_people) {
  EXPECT_EQ(clock_difference(2 * kHour), "2.0 h ahead of");
  EXPECT_EQ(clock_difference(-400 * kDay), "400.0 days behind");
  EXPECT_EQ(clock_difference(15 * kSecond), "15 s ahead of");
}

}  // namespace atys::fleet
