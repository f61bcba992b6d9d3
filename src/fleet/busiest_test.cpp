// SPDX-License-Identifier: Apache-2.0
#include "fleet/busiest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "capture/target/service_rule.h"
#include "linux/child_process.h"

namespace atys::fleet {

namespace {

ProcessTime used(pid_t pid, const char* name, const char* folder, uint64_t cpu_ns) {
  return {pid, 7, cpu_ns, {name, folder, ""}};
}

}  // namespace

TEST(busiest, the_busiest_comes_first_with_all_of_its_processes) {
  const std::vector<ProcessTime> before{used(1, "a", "/x", 100), used(2, "b", "/x", 0), used(3, "b", "/x", 0),
                                        used(4, "b", "/y", 0)};
  const std::vector<ProcessTime> after{used(1, "a", "/x", 600), used(2, "b", "/x", 400), used(3, "b", "/x", 400),
                                       used(4, "b", "/y", 200), used(5, "new", "/x", 100)};
  const auto order = busiest(before, after, 1000);
  ASSERT_EQ(order.size(), 4u);
  EXPECT_EQ(order[0].key, (ServiceKey{"b", "/x", ""}));
  EXPECT_NEAR(order[0].cores, 0.8, 1e-9);
  EXPECT_EQ(order[0].processes, 2u);
  EXPECT_EQ(order[1].key.name, "a");
  EXPECT_EQ(order[2].key, (ServiceKey{"b", "/y", ""})) << "another program that is called the same";
  EXPECT_EQ(order[3].key.name, "new");
}

TEST(busiest, a_service_is_ours_if_one_of_its_processes_is) {
  std::vector<ProcessTime> times{used(1, "a", "/x", 1), used(2, "a", "/x", 1), used(3, "b", "/x", 1)};
  times[0].is_ours = times[2].is_ours = false;
  const auto order = busiest(times, times, 1000);
  ASSERT_EQ(order.size(), 2u);
  EXPECT_TRUE(order[0].is_ours);
  EXPECT_FALSE(order[1].is_ours);
}

TEST(busiest, the_rule_finds_who_it_was_made_of) {
  auto child = linux::ChildProcess::create({"/bin/sh", "-c", "while :; do :; done"});
  ASSERT_TRUE(child.ok()) << child.error().message;
  ASSERT_TRUE(child->release().ok());
  BusyWatch watch(capture::live_facts());
  std::optional<linux::ProcessInfo> process;
  while (!process || process->executable.find("sh") == std::string::npos) process = linux::read_process(child->pid()).take();
  const auto facts = capture::live_facts();
  const ServiceKey key = service_of(*process, *facts);
  const auto rule = capture::ServiceRule::parse(rule_of(key));
  ASSERT_TRUE(rule.ok()) << rule_of(key);
  EXPECT_TRUE(capture::matches(*rule, *process, *facts)) << rule_of(key);
  const auto find = [&](const std::vector<BusyService>& all) { return std::ranges::find(all, key, &BusyService::key); };
  const auto first = watch.look(clock_ns(CLOCK_BOOTTIME));
  ASSERT_NE(find(first), first.end());
  EXPECT_EQ(find(first)->cores, 0) << "nothing is known yet of how busy it is";
  bool was_busy = false;
  while (!was_busy) {
    const auto again = watch.look(clock_ns(CLOCK_BOOTTIME));
    ASSERT_NE(find(again), again.end());
    was_busy = find(again)->cores > 0;
  }
  child->send_signal(SIGKILL);
}

}  // namespace atys::fleet
