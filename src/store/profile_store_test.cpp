// SPDX-License-Identifier: Apache-2.0
// What every store has to do; see tests/support/store_contract.h.
#include "store/profile_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "support/generated_profiles.h"
#include "support/store_contract.h"
#include "support/store_windows.h"

namespace atys::test {

using namespace store;
using profile::equivalent;

namespace {

std::string text_of(const Result<Merged>& merged) {
  return merged.ok() ? to_text(merged->profile) : "failed: " + merged.error().message;
}

// A few hours of two services around midnight, with what generated profiles have of odd things.
std::vector<Window> random_windows(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Window> windows;
  for (size_t i = 0; i < count; ++i) {
    // Some content repeats, as it does in life.
    Window window = window_at(i + 1, kNoon + 10 * kHour + static_cast<int64_t>(random() % (4 * 3600)) * kSecond,
                              generate_profile(random() % 12, {.samples = 1 + random() % 30}));
    window.service = random() % 4 == 0 ? "other" : "shop";
    window.version = random() % 3 == 0 ? "1.1" : "1.0";
    window.node = random() % 2 == 0 ? "node-a" : "node-b";
    window.instance = "shop-" + std::to_string(random() % 3);
    if (random() % 3 != 0) window.stretch = {.stream = "s/" + window.node, .number = random() % 4, .rate = 330};
    if (random() % 2 == 0) window.labels = {{"pod", "p" + std::to_string(random() % 2)}, {"container", "main"}};
    windows.push_back(std::move(window));
  }
  return windows;
}

std::vector<Selection> random_selections(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Selection> selections;
  const int64_t begin = kNoon + 10 * kHour;
  for (const int64_t unit : {kSecond, kMinute, kHour}) {
    for (int i = 0; i < 4; ++i) {
      const int64_t from = begin + static_cast<int64_t>(random() % static_cast<uint64_t>(4 * kHour / unit)) * unit;
      Selection selection =
          all_of(from, from + (1 + static_cast<int64_t>(random() % static_cast<uint64_t>(3 * kHour / unit))) * unit);
      if (i == 1) selection.matchers = {equals("version", "1.1")};
      if (i == 2) selection.matchers = {equals("node", "node-b")};
      if (i == 3) selection.matchers = {equals("pod", "p1")};
      selections.push_back(selection);
    }
  }
  selections.push_back(all_of());
  using How = Matcher::How;
  for (const Matcher& matcher : {Matcher{"version", How::NotEqual, "1.0"}, Matcher{"node", How::Like, "node-[bc]"},
                                 Matcher{"pod", How::NotLike, "p1|x"}, Matcher{"pod", How::Equal, ""},
                                 Matcher{"version", How::Like, R"(1\..*)"}, Matcher{"zone", How::NotEqual, "x"}}) {
    Selection selection = all_of();
    selection.matchers = {matcher, {"instance", How::NotEqual, "shop-2"}};
    if (matcher.name == "version") selection.matchers.pop_back();
    selections.push_back(selection);
  }
  // Of all services, whose windows lie apart.
  selections.push_back({.kind = "cpu", .from_ns = begin, .to_ns = begin + kDay, .matchers = {{"service", How::Like, ".*"}}});
  return selections;
}

}  // namespace

TEST_P(StoreContract, has_no_windows_at_first) {
  const auto merged = store_->merge(all_of());
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->coverage.windows, 0u);
  EXPECT_TRUE(merged->coverage.exact);
  EXPECT_FALSE(merged->coverage.dropped);
  EXPECT_EQ(merged->profile.samples.size(), 0u);
  EXPECT_TRUE(store_->services()->empty());
  EXPECT_TRUE(store_->instances("shop")->empty());
  EXPECT_EQ(store_->holdings()->windows, 0u);
  EXPECT_EQ(*store_->acknowledged(id_of(1)), 0u);
}

TEST_P(StoreContract, gives_back_what_was_put_in) {
  const std::vector<Profile> profiles = generate_profiles(7);
  std::vector<Window> windows;
  for (size_t i = 0; i < profiles.size(); ++i) {
    windows.push_back(window_at(i + 1, kNoon + static_cast<int64_t>(i) * kMinute, profiles[i]));
  }
  const auto appended = store_->append(windows);
  ASSERT_TRUE(appended.ok()) << appended.error().message;
  EXPECT_EQ(appended->added, windows.size());
  for (const char* when : {"as it came", "after it was put together", "after a restart"}) {
    for (size_t i = 0; i < profiles.size(); ++i) {
      const auto merged = store_->merge(all_of(windows[i].start_ns, windows[i].end_ns), Detail::Samples);
      ASSERT_TRUE(merged.ok()) << merged.error().message;
      EXPECT_TRUE(equivalent(merged->profile, profiles[i])) << when << ", profile " << i;
      EXPECT_TRUE(merged->coverage.exact);
      EXPECT_EQ(merged->coverage.windows, 1u);
      EXPECT_TRUE(merged->coverage.problems.empty());
    }
    maintain(kNoon + kDay);
    if (std::string_view(when) == "after it was put together") reopen();
  }
}

TEST_P(StoreContract, merges_as_reduce_merge_does) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SetUp();
    const std::vector<Window> windows = random_windows(seed, 60);
    const std::vector<Selection> selections = random_selections(seed);
    const std::span<const Window> all(windows);
    const auto compare = [&](const char* when, std::span<const Window> present) {
      for (const Selection& selection : selections) {
        for (const Detail detail : {Detail::Stacks, Detail::Samples}) {
          const auto merged = store_->merge(selection, detail);
          ASSERT_TRUE(merged.ok()) << merged.error().message;
          EXPECT_TRUE(merged->coverage.problems.empty());
          EXPECT_TRUE(merged->coverage.exact);
          EXPECT_EQ(merged->coverage.windows, static_cast<size_t>(std::ranges::count_if(present, [&](const Window& window) {
                      return is_selected(window, selection);
                    })));
          EXPECT_TRUE(equivalent(merged->profile, expected_merge(present, selection, detail)))
              << when << ": seed " << seed << ", from " << (selection.from_ns - kNoon) / kSecond << " to "
              << (selection.to_ns - kNoon) / kSecond << " detail " << static_cast<int>(detail);
        }
      }
    };
    ASSERT_TRUE(store_->append(all.first(40)).ok());
    compare("raw", all.first(40));
    maintain(kNoon + 12 * kHour);
    compare("partly summed up", all.first(40));
    ASSERT_TRUE(store_->append(all.subspan(40)).ok());
    compare("with late windows", all);
    maintain(kNoon + kDay);
    compare("summed up", all);
    maintain(kNoon + kDay);
    compare("summed up again", all);
    TearDown();
  }
  SetUp();
}

TEST_P(StoreContract, stores_once_what_is_sent_twice) {
  std::vector<Window> windows;
  for (uint64_t i = 1; i <= 20; ++i)
    windows.push_back(window_at(i, kNoon + static_cast<int64_t>(i) * 7 * kSecond, "main 1"));
  windows.push_back(windows.front());
  auto appended = store_->append(windows);
  ASSERT_TRUE(appended.ok()) << appended.error().message;
  EXPECT_EQ(appended->added, 20u);
  EXPECT_EQ(appended->duplicates, 1u);
  std::ranges::reverse(windows);
  for (int round = 0; round < 3; ++round) {
    appended = store_->append(windows);
    ASSERT_TRUE(appended.ok()) << appended.error().message;
    EXPECT_EQ(appended->added, 0u);
    EXPECT_EQ(appended->duplicates, 21u);
    EXPECT_EQ(text_of(store_->merge(all_of())), "main 20\n");
    maintain(kNoon + kDay);
    reopen();
  }
}

TEST_P(StoreContract, knows_what_a_sender_need_not_repeat) {
  const Id sender = id_of(99);
  uint64_t number = 0;
  const auto send = [&](uint64_t sequence, int64_t start_ns) {
    Window window = window_at(++number, start_ns, "main 1");
    window.mark = {sender, sequence};
    return store_->append({&window, 1});
  };
  EXPECT_EQ(send(1, kNoon)->added, 1u);
  EXPECT_EQ(send(2, kNoon)->added, 1u);
  EXPECT_EQ(*store_->acknowledged(sender), 2u);
  EXPECT_EQ(send(4, kNoon)->added, 1u);
  EXPECT_EQ(*store_->acknowledged(sender), 2u) << "3 is missing";
  EXPECT_EQ(send(5, kNoon + kDay)->added, 1u);
  EXPECT_EQ(send(3, kNoon)->added, 1u);
  EXPECT_EQ(*store_->acknowledged(sender), 5u) << "whatever day they are of";
  EXPECT_EQ(send(6, kNoon + 2 * kDay)->added, 1u);
  reopen();
  EXPECT_EQ(*store_->acknowledged(sender), 6u);
  EXPECT_EQ(send(4, kNoon + 2 * kDay)->duplicates, 1u);
  EXPECT_EQ(*store_->acknowledged(id_of(98)), 0u);
  EXPECT_EQ(text_of(store_->merge(all_of(kNoon, kNoon + 3 * kDay))), "main 6\n");
}

TEST_P(StoreContract, refuses_windows_that_make_no_sense_and_takes_the_others) {
  std::vector<Window> windows(6, window_at(1, kNoon, "main 1"));
  windows[0].id = {};
  windows[1].service.clear();
  windows[2].start_ns = 0;
  windows[3].end_ns = windows[3].start_ns - 1;
  windows[4].kind.clear();
  const auto appended = store_->append(windows);
  ASSERT_TRUE(appended.ok()) << appended.error().message;
  EXPECT_EQ(appended->added, 1u);
  ASSERT_EQ(appended->refused.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(appended->refused[i].position, i);
    EXPECT_EQ(appended->refused[i].why.code, ErrorCode::InvalidInput);
  }
}

TEST_P(StoreContract, refuses_questions_that_make_no_sense) {
  EXPECT_EQ(store_->merge({.service = "", .kind = "cpu", .from_ns = 0, .to_ns = 1}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(store_->merge(all_of(kNoon, kNoon)).error().code, ErrorCode::InvalidInput);
  Selection odd = all_of();
  odd.matchers = {{"node", Matcher::How::Like, "("}};
  EXPECT_EQ(store_->merge(odd).error().code, ErrorCode::InvalidInput);
  odd.matchers.assign(100, equals("node", "a"));
  EXPECT_EQ(store_->merge(odd).error().code, ErrorCode::InvalidInput);
  odd.matchers = {equals("node", std::string(10'000, 'a'))};
  EXPECT_EQ(store_->merge(odd).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(store_->merge_grouped(all_of(), {.borders_ns = {2, 1}}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(store_->series({.selection = all_of(), .step_ns = 0}).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(store_->series({.selection = all_of(0, INT64_MAX), .step_ns = 1}).error().code, ErrorCode::InvalidInput);
  EXPECT_TRUE(store_->merge(all_of(INT64_MIN, INT64_MAX)).ok());
}

TEST_P(StoreContract, draws_a_series_of_totals_and_of_one_function) {
  std::vector<Window> windows;
  for (int i = 0; i < 30; ++i) {
    windows.push_back(window_at(static_cast<uint64_t>(i) + 1, kNoon + i * 10 * kSecond,
                                "main;work " + std::to_string(i) + "\nmain;work;inner 2\nmain;work;work 1\nidle 5\n"));
  }
  ASSERT_TRUE(store_->append(windows).ok());
  for (int round = 0; round < 2; ++round) {
    for (const int64_t step : {30 * kSecond, kMinute, kHour}) {
      const auto series =
          store_->series({.selection = all_of(kNoon, kNoon + 5 * kMinute), .step_ns = step, .function = "work"});
      ASSERT_TRUE(series.ok()) << series.error().message;
      EXPECT_EQ(series->value_type, "samples");
      EXPECT_EQ(series->unit, "count");
      ASSERT_EQ(series->points.size(), static_cast<size_t>((5 * kMinute - 1) / step + 1));
      for (const SeriesPoint& point : series->points) {
        SeriesPoint expected{.start_ns = point.start_ns};
        for (int i = 0; i < 30; ++i) {
          const int64_t start = kNoon + i * 10 * kSecond;
          if (start < point.start_ns || start >= point.start_ns + step) continue;
          expected.total += i + 8;
          expected.function_total += i + 3;
          expected.function_self += i + 1;
          ++expected.windows;
        }
        EXPECT_EQ(point.total, expected.total);
        EXPECT_EQ(point.function_total, expected.function_total);
        EXPECT_EQ(point.function_self, expected.function_self);
        EXPECT_EQ(point.windows, expected.windows);
      }
    }
    maintain(kNoon + kDay);
  }
  const auto other = store_->series({.selection = all_of(), .step_ns = kHour, .value_type = "alloc_space"});
  EXPECT_EQ(other->coverage.windows, 0u) << "no such value type";
}

TEST_P(StoreContract, draws_a_series_of_a_function_by_the_name_that_was_shown_for_it) {
  Profile profile;
  profile.add_value_type("samples", "count");
  for (const int64_t begin : {7, 9}) {
    const profile::Line line{.line = begin + 1,
                             .function = profile.functions.intern({.name = profile.strings.intern("(anonymous)"),
                                                                   .filename = profile.strings.intern("/srv/app.js"),
                                                                   .start_line = begin})};
    const profile::FrameId frame = profile.frames.intern({.lines = profile.lines.intern({&line, 1})});
    profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&begin, 1});
  }
  ASSERT_TRUE(store_->append(std::vector{window_at(1, kNoon, std::move(profile))}).ok());
  for (const auto& [shown, sum] : {std::pair("(anonymous):7 in indexById", 7), {"(anonymous):9", 9}, {"(anonymous)", 16}}) {
    const auto series = store_->series({.selection = all_of(kNoon, kNoon + kHour), .step_ns = kHour, .function = shown});
    ASSERT_TRUE(series.ok()) << series.error().message;
    EXPECT_EQ(series->points[0].function_self, sum) << shown;
  }
}

TEST_P(StoreContract, lists_names_and_values) {
  std::vector<Window> windows;
  for (uint64_t i = 0; i < 6; ++i) {
    windows.push_back(window_at(i + 1, kNoon + static_cast<int64_t>(i) * kHour, "main 1"));
    windows.back().node = "node-" + std::to_string(i % 3);
    if (i < 4) windows.back().labels = {{"pod", "p" + std::to_string(i)}};
    if (i == 5) windows.back().service = "other";
  }
  windows.back().labels = {{"zone", "z"}};
  ASSERT_TRUE(store_->append(windows).ok());
  using List = std::vector<std::string>;
  const Selection everything{.from_ns = kNoon - kDay, .to_ns = kNoon + kDay};
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(store_->label_names(all_of())->names, (List{"instance", "kind", "node", "pod", "service", "version"}));
    EXPECT_EQ(store_->label_names(everything)->names.back(), "zone");
    EXPECT_EQ(store_->label_values("service", everything)->names, (List{"other", "shop"}));
    EXPECT_EQ(store_->label_values("pod", all_of())->names, (List{"p0", "p1", "p2", "p3"}));
    EXPECT_EQ(store_->label_values("zone", all_of())->names, List{}) << "of the other one";
    EXPECT_EQ(store_->label_values("nothing", everything)->names, List{});
    Selection of_node = all_of();
    of_node.matchers = {{"node", Matcher::How::NotEqual, "node-0"}};
    EXPECT_EQ(store_->label_values("pod", of_node)->names, (List{"p1", "p2"}));
    EXPECT_EQ(store_->label_values("pod", all_of(kNoon + 2 * kDay, kNoon + 3 * kDay))->names, List{});
    const auto two = store_->label_values("pod", all_of(), 2);
    EXPECT_EQ(two->names, (List{"p0", "p1"}));
    EXPECT_TRUE(two->has_more);
    EXPECT_FALSE(store_->label_values("pod", all_of(), 4)->has_more);
    maintain(kNoon + kDay);
  }
}

TEST_P(StoreContract, merges_groups_as_it_would_merge_each_alone) {
  const std::vector<Window> windows = random_windows(5, 80);
  const std::span<const Window> all(windows);
  const std::vector<int64_t> borders{kNoon + 11 * kHour, kNoon + 12 * kHour};
  const auto compare = [&](const char* when, std::span<const Window> present, const std::string& by) {
    const auto merged = store_->merge_grouped(all_of(), {.by = by, .borders_ns = borders});
    ASSERT_TRUE(merged.ok()) << merged.error().message;
    EXPECT_TRUE(merged->coverage.exact);
    size_t count = 0;
    for (const GroupPart& part : merged->parts) {
      std::vector<Window> of_part;
      for (const Window& window : present) {
        const size_t piece =
            static_cast<size_t>(std::ranges::count_if(borders, [&](int64_t border) { return border <= window.start_ns; }));
        const bool is_of_group =
            by.empty() ? window.stretch == part.group.stretch : value_of(window, by) == part.group.value;
        if (is_of_group && piece == part.piece && is_selected(window, all_of())) of_part.push_back(window);
      }
      EXPECT_EQ(part.windows, of_part.size()) << when << " by " << by;
      EXPECT_TRUE(equivalent(part.profile, expected_merge(of_part, all_of(), Detail::Stacks))) << when << " by " << by;
      count += part.windows;
    }
    EXPECT_EQ(count, store_->merge(all_of())->coverage.windows);
    EXPECT_EQ(count, merged->coverage.windows);
  };
  const auto compare_all = [&](const char* when, std::span<const Window> present) {
    for (const char* by : {"", "version", "node", "pod"}) compare(when, present, by);
  };
  ASSERT_TRUE(store_->append(all.first(50)).ok());
  compare_all("raw", all.first(50));
  maintain(kNoon + 12 * kHour);
  ASSERT_TRUE(store_->append(all.subspan(50)).ok());
  compare_all("partly summed up", all);
  maintain(kNoon + kDay);
  reopen();
  if (store_->holdings()->windows > 0) compare_all("summed up", all);
}

TEST_P(StoreContract, tells_the_newest_of_a_stretch_apart_and_how_many_stretches_there_are) {
  const Stretch stretch{.stream = "s/t", .number = 4, .began_ns = 0, .rate = 330};
  std::vector<Window> windows;
  for (uint64_t i = 0; i < 5; ++i) {
    windows.push_back(window_at(i + 1, kNoon + static_cast<int64_t>(i) * kMinute, "main 1"));
    if (i > 0) windows.back().stretch = stretch;
  }
  ASSERT_TRUE(store_->append(windows).ok());
  for (int round = 0; round < 2; ++round) {
    const auto groups = store_->groups(all_of(), {});
    ASSERT_TRUE(groups.ok()) << groups.error().message;
    ASSERT_EQ(groups->size(), 2u);
    EXPECT_TRUE(groups->at(0).stretch.is_none());
    EXPECT_EQ(groups->at(1).stretch, stretch);
    EXPECT_EQ(groups->at(1).first_ns, kNoon + kMinute);
    EXPECT_EQ(groups->at(1).last_ns, kNoon + 4 * kMinute);
    EXPECT_EQ(groups->at(1).windows, 4u);
    const auto merged = store_->merge_grouped(all_of(), {.newest_apart = true});
    ASSERT_TRUE(merged.ok()) << merged.error().message;
    ASSERT_EQ(merged->parts.size(), 3u);
    EXPECT_EQ(to_text(merged->parts[1].profile), "main 3\n");
    EXPECT_FALSE(merged->parts[1].is_newest);
    EXPECT_EQ(to_text(merged->parts[2].profile), "main 1\n");
    EXPECT_TRUE(merged->parts[2].is_newest);
    EXPECT_EQ(store_->groups(all_of(), {.most = 1}).error().code, ErrorCode::ResourceExhausted);
    EXPECT_EQ(store_->merge_grouped(all_of(), {.most = 1}).error().code, ErrorCode::ResourceExhausted);
    EXPECT_EQ(store_->instances("shop")->size(), 1u) << "it is one instance, whatever the stretch";
    maintain(kNoon + kDay);
  }
}

TEST_P(StoreContract, lists_services_and_instances) {
  std::vector<Window> windows;
  for (uint64_t i = 0; i < 12; ++i) {
    Window window = window_at(i + 1, kNoon + static_cast<int64_t>(i) * 3 * kHour, "main 1");
    window.instance = "shop-" + std::to_string(i % 2);
    window.node = i % 2 == 0 ? "node-a" : "node-b";
    window.kind = i % 3 == 0 ? "alloc" : "cpu";
    if (i % 2 == 1) window.labels = {{"pod", "x"}, {"container", "c"}};
    if (i == 4) window.instance.clear();  // of both, or of somebody whom others know
    windows.push_back(std::move(window));
  }
  windows.push_back(window_at(100, kNoon, "main 1"));
  windows.back().service = "empty;\xff";
  windows.back().instance.clear();
  ASSERT_TRUE(store_->append(windows).ok());
  for (int round = 0; round < 2; ++round) {
    const auto services = store_->services();
    ASSERT_TRUE(services.ok()) << services.error().message;
    ASSERT_EQ(services->size(), 2u);
    EXPECT_EQ(services->at(0).service, "empty;\xff");
    EXPECT_EQ(services->at(0).instances, 1u);
    const ServiceEntry& shop = services->at(1);
    EXPECT_EQ(shop.kinds, (std::vector<std::string>{"alloc", "cpu"}));
    EXPECT_EQ(shop.versions, std::vector<std::string>{"1.0"});
    EXPECT_EQ(shop.instances, 2u);
    EXPECT_EQ(shop.windows, 12u);
    EXPECT_EQ(shop.first_ns, kNoon);
    EXPECT_EQ(shop.last_ns, kNoon + 33 * kHour);
    const auto instances = store_->instances("shop");
    ASSERT_TRUE(instances.ok());
    ASSERT_EQ(instances->size(), 3u);
    EXPECT_EQ(instances->at(2).node, "node-b");
    EXPECT_EQ(instances->at(2).windows, 6u);
    EXPECT_EQ(instances->at(2).labels, (LabelList{{"container", "c"}, {"pod", "x"}}));
    EXPECT_EQ(instances->at(2).first_ns, kNoon + 3 * kHour);
    const auto holdings = store_->holdings();
    EXPECT_EQ(holdings->windows, 13u);
    EXPECT_EQ(holdings->oldest_ns, kNoon);
    EXPECT_EQ(holdings->newest_ns, kNoon + 33 * kHour);
    maintain(kNoon + 3 * kDay);
  }
}

TEST_P(StoreContract, answers_while_windows_come_in) {
  constexpr int kBatches = 40;
  std::atomic<bool> is_done = false;
  std::atomic<int> failures = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      size_t seen = 0;
      while (!is_done) {
        const auto merged = store_->merge(all_of());
        if (!merged.ok() || merged->coverage.windows < seen || !merged->coverage.problems.empty()) ++failures;
        if (merged.ok()) seen = merged->coverage.windows;
      }
    });
  }
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<Window> windows;
    for (int i = 0; i < 5; ++i) {
      const int number = batch * 5 + i + 1;
      windows.push_back(window_at(static_cast<uint64_t>(number), kNoon + number * 10 * kSecond, "main 1"));
    }
    if (!store_->append(windows).ok()) ++failures;
    maintain(kNoon + batch * kMinute);
  }
  is_done = true;
  readers.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(text_of(store_->merge(all_of())), "main 200\n");
}

}  // namespace atys::test
