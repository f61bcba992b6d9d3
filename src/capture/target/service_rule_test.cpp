// SPDX-License-Identifier: Apache-2.0
#include "capture/target/service_rule.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace atys::capture {
namespace {

class RecordedFacts final : public ProcessFacts {
 public:
  bool is_ourselves(const linux::ProcessInfo& process) override { return process.pid == 1000; }
  std::vector<std::string> environment(pid_t) override { return {"ROLE=web", "EMPTY=", "X=a=b"}; }
  bool listens_on(pid_t, uint16_t port) override { return port == 8080; }
  std::string user_name(uint32_t uid) override { return uid == 33 ? "www-data" : ""; }
  std::string working_folder(pid_t) override { return "/srv/shop"; }
  bool has_file(pid_t, const std::string&) override { return true; }
  std::string container_name(const std::string&) override { return {}; }
};

linux::ProcessInfo web_server() {
  linux::ProcessInfo process;
  process.pid = 42;
  process.comm = "python3";
  process.command_line = {"/usr/bin/python3", "-m", "my server", "--port=8080"};
  process.executable = "/usr/bin/python3.11";
  process.uid = 33;
  process.cgroup = "/system.slice/my-web.service/worker";
  return process;
}

TEST(service_rule, holds_where_all_its_conditions_hold) {
  RecordedFacts facts;
  struct Case {
    const char* rule;
    bool holds;
  };
  for (const auto& [text, holds] : std::initializer_list<Case>{
           {"python3.11", true},
           {"python3", true},
           {"python", false},
           {"my-web", true},
           {"my-web.service", true},
           {"system.slice", true},
           {"system", false},
           {"worker", false},
           {"command~my.server", true},
           {"command~^/usr/bin/python3", true},
           {"command~\"my server\"", true},
           {"command~my", true},
           {"command~^my", false},
           {"exe=/usr/bin/*", true},
           {"exe=/usr/*", true},
           {"exe=python3.[0-9]*", true},
           {"exe=python3.[!1]*", false},
           {"exe=python?.11", true},
           {"exe=bin/python3.11", false},
           {"exe=python3x11", false},
           {"cgroup=my-web.service", true},
           {"cgroup=/system.slice", true},
           {"cgroup=/system", false},
           {"cgroup=my-*.service", true},
           {"cgroup=web.service", false},
           {"env:ROLE=web", true},
           {"env:ROLE=we", false},
           {"env:EMPTY=", true},
           {"env:X=a=b", true},
           {"port=8080", true},
           {"port=80", false},
           {"user=www-data", true},
           {"user=33", true},
           {"user=root", false},
           {"python3 port=8080 user=www-data", true},
           {"python3 port=80 user=www-data", false},
       }) {
    const auto rule = ServiceRule::parse(text);
    ASSERT_TRUE(rule.ok()) << text << ": " << rule.error().message;
    EXPECT_EQ(matches(*rule, web_server(), facts), holds) << text;
  }
}

TEST(service_rule, names_what_is_wrong_and_where) {
  struct Case {
    const char* rule;
    const char* message;
  };
  for (const auto& [text, message] : std::initializer_list<Case>{
           {"", "service rule '', column 1: it has no condition"},
           {"  ", "service rule '  ', column 1: it has no condition"},
           {"nginx prot=80", "service rule 'nginx prot=80', column 7: unknown condition 'prot'"},
           {"port=http", "service rule 'port=http', column 6: 'http' is not a port (1 to 65535)"},
           {"port=65536", "service rule 'port=65536', column 6: '65536' is not a port (1 to 65535)"},
           {"port=0", "service rule 'port=0', column 6: '0' is not a port (1 to 65535)"},
           {"port~80", "service rule 'port~80', column 5: 'port' is compared with '='"},
           {"command=x", "service rule 'command=x', column 8: 'command' is compared with '~'"},
           {"command~", "service rule 'command~', column 9: nothing to compare with"},
           {"command~(", "service rule 'command~(', column 9: '(': missing ): ("},
           {"env:=x", "service rule 'env:=x', column 1: 'env:' without the name of a variable"},
           {"env=x", "service rule 'env=x', column 1: 'env' names no variable: write env:NAME=VALUE"},
           {"a command~'x", "service rule 'a command~'x', column 11: a quote that does not end"},
           {"/usr/sbin/nginx",
            "service rule '/usr/sbin/nginx', column 1: '/usr/sbin/nginx' is a path; did you mean "
            "exe=/usr/sbin/nginx?"},
       }) {
    const auto rule = ServiceRule::parse(text);
    ASSERT_FALSE(rule.ok()) << text;
    EXPECT_EQ(rule.error().message, message);
    EXPECT_FALSE(rule.error().hint.empty());
  }
}

TEST(service_rule, takes_names_that_the_kernel_has_cut) {
  RecordedFacts facts;
  linux::ProcessInfo process;
  process.comm = "a-very-long-nam";
  process.executable = "/usr/bin/python3";
  EXPECT_TRUE(matches(*ServiceRule::parse("a-very-long-name"), process, facts));
  process.comm = "a-very";
  EXPECT_FALSE(matches(*ServiceRule::parse("a-very-long-name"), process, facts));
}

TEST(service_rule, is_linear_in_hostile_names) {
  RecordedFacts facts;
  linux::ProcessInfo process;
  process.executable = "/" + std::string(4000, 'a');
  EXPECT_FALSE(matches(*ServiceRule::parse("exe=*a*a*a*a*a*a*a*a*a*a*b"), process, facts));
  process.command_line = {std::string(100'000, 'a')};
  EXPECT_FALSE(matches(*ServiceRule::parse("command~(a+)+$b"), process, facts));
}

TEST(service_rule, never_matches_ourselves) {
  RecordedFacts facts;
  linux::ProcessInfo process = web_server();
  process.pid = 1000;
  EXPECT_FALSE(matches(*ServiceRule::parse("python3"), process, facts));
  const auto rule = ServiceRule::parse("command~.*");
  const auto self = linux::read_process(::getpid());
  ASSERT_TRUE(self.ok());
  EXPECT_FALSE(matches(*rule, *self, *live_facts(*rule)));
}

}  // namespace
}  // namespace atys::capture
