// SPDX-License-Identifier: Apache-2.0
#include "present/text/up_watch.h"

#include <gtest/gtest.h>

#include "present/text/answers.h"

namespace atys::present::text {

namespace {

constexpr uint64_t kOneSecond = 1'000'000'000;
const std::string kTime = "12:00:00";

verbs::UpAnswer answer(std::vector<std::pair<std::string, std::string>> services) {
  verbs::UpAnswer made{.node = "n1",
                       .agent_cpu_share = 0.004,
                       .agent_cpu_budget = 0.01,
                       .begun_for_ns = 120'000'000,
                       .watched_ns = 90 * kOneSecond,
                       .least_cores = 0.01,
                       .range_ns = 60 * kOneSecond};
  for (auto& [name, function] : services) {
    verbs::UpService service{.service = name, .cores = 0.5, .processes = 1, .windows = 1};
    reduce::BriefRow row;
    row.entity.name = function;
    row.charged.percent = 40;
    service.top.emplace().rows = reduce::BriefRows{{row}};
    made.services.push_back(std::move(service));
  }
  return made;
}

size_t lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

TEST(up_watch, prints_a_table_again_when_it_says_something_else) {
  UpWatch watch(false);
  uint64_t now = 1000 * kOneSecond;
  EXPECT_NE(watch.next(answer({{"shop", "pay"}}), {}, now, kTime).find("pay"), std::string::npos);
  EXPECT_EQ(watch.next(answer({{"shop", "pay"}}), {}, now += 10 * kOneSecond, kTime), "");
  EXPECT_NE(watch.next(answer({{"shop", "look"}}), {}, now += 10 * kOneSecond, kTime).find("look"), std::string::npos);
  EXPECT_NE(watch.next(answer({{"shop", "look"}, {"till", "count"}}), {}, now += 10 * kOneSecond, kTime).find("till"),
            std::string::npos);
  EXPECT_EQ(watch.next(answer({{"till", "count"}, {"shop", "look"}}), {}, now += 10 * kOneSecond, kTime), "")
      << "another order alone is not worth it";
  verbs::UpAnswer idle = answer({{"shop", "look"}, {"till", "count"}});
  idle.services[1].cores = 0;
  EXPECT_NE(watch.next(idle, {}, now += 10 * kOneSecond, kTime), "");
}

TEST(up_watch, calls_nobody_idle_whose_first_window_is_on_its_way) {
  verbs::UpAnswer early = answer({{"shop", "pay"}});
  early.services[0].top.reset();
  EXPECT_NE(render(early).find("its next window is on its way"), std::string::npos) << render(early);
  early.services[0].cores = 0;
  EXPECT_NE(render(early).find("idle"), std::string::npos) << render(early);
}

TEST(up_watch, callbacks_are_told_with_their_file) {
  verbs::UpAnswer one = answer({{"shop", "(anonymous):7"}});
  reduce::BriefRow& row = std::get<reduce::BriefRows>(one.services[0].top->rows).rows[0];
  row.entity.file = "/srv/shop/app.js";
  EXPECT_NE(render(one).find("(anonymous):7 in app.js"), std::string::npos) << render(one);
  for (const char* told : {"(anonymous):7 in indexById", "squares.<locals>.<genexpr>:8", "pay"}) {
    row.entity.name = told;
    EXPECT_NE(render(one).find(std::string(told) + "\n"), std::string::npos) << render(one);
  }
}

TEST(up_watch, says_now_and_then_that_it_goes_on) {
  UpWatch watch(false);
  uint64_t now = 1000 * kOneSecond;
  (void)watch.next(answer({{"shop", "pay"}}), {}, now, kTime);
  size_t said = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string line = watch.next(answer({{"shop", "pay"}}), {}, now += 10 * kOneSecond, kTime);
    EXPECT_LE(lines(line), 1u) << line;
    said += lines(line);
  }
  EXPECT_EQ(said, 10u) << "a line a minute";
}

TEST(up_watch, is_an_object_a_line_as_data) {
  UpWatch watch(true);
  for (int i = 0; i < 3; ++i) {
    const std::string line = watch.next(answer({{"shop", "pay"}}), {24, 80}, 1000 * kOneSecond, kTime);
    EXPECT_EQ(lines(line), 1u);
    EXPECT_TRUE(line.starts_with("{\"node\":\"n1\"")) << line;
  }
}

TEST(up_watch, draws_over_what_it_drew_on_a_terminal) {
  UpWatch watch(false);
  const WatchedScreen screen{24, 60};
  const std::string first = watch.next(answer({{"shop", "pay"}}), screen, 1, kTime);
  EXPECT_EQ(first.find('\033'), std::string::npos);
  const std::string second = watch.next(answer({{"shop", "pay"}}), screen, 2, kTime);
  EXPECT_EQ(second, "\033[" + std::to_string(lines(first)) + "A\r\033[J" + first);
  for (const std::string& text : {first, second})
    for (size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      EXPECT_LE(end - at, 60u + (at == 0 ? 10 : 0)) << "a line that wraps could not be drawn over";
}

TEST(up_watch, draws_no_more_than_a_terminal_holds) {
  std::vector<std::pair<std::string, std::string>> many;
  for (int i = 0; i < 40; ++i) many.emplace_back("s" + std::to_string(i), "f");
  UpWatch watch(false);
  const std::string text = watch.next(answer(many), {10, 80}, 1, kTime);
  EXPECT_EQ(lines(text), 9u);
  EXPECT_NE(text.find("more lines"), std::string::npos);
}

TEST(up, tells_that_nothing_was_busy) {
  const std::string text = render(answer({}));
  EXPECT_TRUE(text.starts_with("nothing on n1 used more than 1.00% of a CPU in 1m30s;")) << text;
}

TEST(up, tells_what_it_may_not_see) {
  verbs::UpAnswer none = answer({});
  none.hidden = 2;
  EXPECT_TRUE(render(none).starts_with("nothing of ours on n1")) << render(none);
  EXPECT_NE(render(none).find("2 busy services of other users cannot be seen: run it as root"), std::string::npos);
}

TEST(up, tells_why_a_service_has_no_window) {
  verbs::UpAnswer none = answer({{"shop", "pay"}});
  none.services[0].top.reset();
  none.services[0].windows = 0;
  EXPECT_NE(render(none).find("no window yet"), std::string::npos);
  none.services[0].trouble = "not permitted\nto look";
  EXPECT_NE(render(none).find("no window: not permitted to look"), std::string::npos) << render(none);
  none.services[0].windows = 3;
  EXPECT_NE(render(none).find("no window: not permitted to look"), std::string::npos) << "it is busy: " << render(none);
  none.services[0].trouble.clear();
  EXPECT_NE(render(none).find("its next window is on its way"), std::string::npos) << "half a core is not idle";
  none.services[0].cores = 0;
  EXPECT_NE(render(none).find("idle"), std::string::npos);
}

}  // namespace atys::present::text
