// SPDX-License-Identifier: Apache-2.0
#include "fleet/busiest.h"

#include <gtest/gtest.h>

#include "capture/service_rule.h"

namespace atys::fleet {

namespace {

linux::ProcessInfo process(pid_t pid, std::string executable, std::vector<std::string> words, uint64_t cpu_ns = 0) {
  return {.pid = pid,
          .comm = "c",
          .command_line = std::move(words),
          .executable = std::move(executable),
          .start_time_ticks = 7,
          .cpu_time_ns = cpu_ns};
}

class NoFacts final : public capture::ProcessFacts {
 public:
  bool is_ourselves(const linux::ProcessInfo&) override { return false; }
  std::vector<std::string> environment(pid_t) override { return {}; }
  bool listens_on(pid_t, uint16_t) override { return false; }
  std::string user_name(uint32_t) override { return {}; }
};

}  // namespace

TEST(busiest, programs_are_services_and_so_are_scripts) {
  EXPECT_EQ(service_of(process(1, "/usr/sbin/nginx", {"nginx", "-g", "x"})).name, "nginx");
  EXPECT_EQ(service_of(process(1, "/usr/bin/python3.11", {"python3", "-u", "/srv/search.py", "80"})).name, "search.py");
  EXPECT_EQ(service_of(process(1, "/usr/bin/python3.11", {"python3", "-m", "gunicorn", "app"})).name, "gunicorn");
  EXPECT_EQ(service_of(process(1, "/usr/bin/python3.11", {"python3", "-c", "while 1: pass"})).name, "python3.11");
  EXPECT_EQ(service_of(process(1, "/opt/jdk/bin/java", {"java", "-Xmx1g", "-cp", "a:b", "shop.Checkout"})).name,
            "shop.Checkout");
  EXPECT_EQ(service_of(process(1, "/opt/jdk/bin/java", {"java", "-jar", "/srv/shop.jar"})).name, "shop.jar");
  EXPECT_EQ(service_of(process(1, "/usr/bin/node", {"node", "server.js"})).name, "server.js");
}

TEST(busiest, the_rule_finds_the_process_again) {
  NoFacts facts;
  for (const linux::ProcessInfo& one :
       {process(1, "/usr/sbin/ngi nx\"", {"x"}), process(1, "/usr/bin/python3.11", {"python3", "/srv/a+b (1).py", "\"q\""}),
        process(1, "/opt/jdk/bin/java", {"java", "-cp", "a", "shop.Checkout$1"})}) {
    const Result<capture::ServiceRule> rule = capture::ServiceRule::parse(service_of(one).rule);
    ASSERT_TRUE(rule.ok()) << service_of(one).rule << ": " << rule.error().message;
    EXPECT_TRUE(capture::matches(*rule, one, facts)) << service_of(one).rule;
  }
}

TEST(busiest, the_busiest_comes_first_with_all_of_its_processes) {
  const std::vector<linux::ProcessInfo> before{process(1, "/bin/a", {"a"}, 100), process(2, "/bin/b", {"b"}, 0),
                                               process(3, "/bin/b", {"b"}, 0)};
  const std::vector<linux::ProcessInfo> after{process(1, "/bin/a", {"a"}, 600), process(2, "/bin/b", {"b"}, 400),
                                              process(3, "/bin/b", {"b"}, 400), process(4, "/bin/new", {"new"}, 100),
                                              process(5, "", {})};
  const auto order = busiest(before, after, 1000);
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order[0].name, "b");
  EXPECT_NEAR(order[0].cores, 0.8, 1e-9);
  EXPECT_EQ(order[0].processes, 2u);
  EXPECT_EQ(order[1].name, "a");
}

}  // namespace atys::fleet
