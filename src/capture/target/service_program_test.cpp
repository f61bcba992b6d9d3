// SPDX-License-Identifier: Apache-2.0
#include "capture/target/service_program.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/utf8.h"
#include "capture/target/container_names.h"
#include "capture/target/service_rule.h"

namespace atys::capture {
namespace {

// A process as somebody started it, and what the machine says of it.
struct Started final : ProcessFacts {
  linux::ProcessInfo process;
  std::string works_in = "/srv/shop";
  std::set<std::string> missing;
  std::vector<std::string> variables;
  std::map<std::string, std::string> containers;

  Started(const std::string& executable, std::vector<std::string> words, std::string cgroup = {}) {
    process.pid = 7;
    process.comm = "comm";
    process.executable = executable;
    process.command_line = std::move(words);
    process.cgroup = std::move(cgroup);
  }
  bool is_ourselves(const linux::ProcessInfo&) override { return false; }
  std::vector<std::string> environment(pid_t) override { return variables; }
  bool listens_on(pid_t, uint16_t) override { return false; }
  std::string user_name(uint32_t) override { return {}; }
  std::string working_folder(pid_t) override { return works_in; }
  bool has_file(pid_t, const std::string& path) override { return !missing.contains(path); }
  std::string container_name(const std::string& id) override { return containers[id]; }

  std::string text() { return program_folder(process, *this) + " | " + program_name(process); }
};

std::string python(std::vector<std::string> words) {
  words.insert(words.begin(), "python3");
  return Started("/usr/bin/python3.11", std::move(words)).text();
}

TEST(service_program, is_the_program_or_what_an_interpreter_runs) {
  struct Case {
    const char* executable;
    std::vector<std::string> words;
    const char* expected;
  };
  for (const auto& [executable, words, expected] : std::initializer_list<Case>{
           {"/usr/sbin/nginx", {"nginx", "-g", "x"}, "/usr/sbin | nginx"},
           {"/usr/sbin/nginx", {"nginx: worker process"}, "/usr/sbin | nginx"},
           {"/opt/jdk/bin/java",
            {"java", "-Xmx1g", "-cp", "lib/a.jar:b", "shop.Checkout", "9"},
            "/srv/shop/lib | shop.Checkout"},
           {"/opt/jdk/bin/java", {"java", "-cp", "/opt/till/lib/*", "shop.Checkout"}, "/opt/till/lib | shop.Checkout"},
           {"/opt/jdk/bin/java", {"java", "-cp", "/opt/till", "shop.Checkout$1"}, "/opt/till | shop.Checkout$1"},
           {"/opt/jdk/bin/java",
            {"java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "shop.Checkout"},
            "/srv/shop | shop.Checkout"},
           {"/opt/jdk/bin/java", {"java", "-jar", "app.jar"}, "/srv/shop | app.jar"},
           {"/opt/jdk/bin/java", {"java", "-jar", "/opt/till/app.jar", "x"}, "/opt/till | app.jar"},
           {"/opt/jdk/bin/java", {"java", "-p", "mods", "-m", "shop/shop.Main"}, "/srv/shop/mods | shop.Main"},
           {"/opt/jdk/bin/java", {"java", "@opts", "Hello.java"}, "/srv/shop | Hello.java"},
           {"/usr/bin/node", {"node", "--inspect", "-r", "./hook.js", "server.js"}, "/srv/shop | server.js"},
           {"/usr/bin/node", {"node", "-e", "while (true);"}, "/srv/shop | node"},
           {"/usr/bin/node", {"next-server (v14.1)"}, "/srv/shop | next-server"},
           {"/usr/bin/node", {"node", "/usr/lib/node_modules/npm/bin/npm-cli.js", "start"}, "/srv/shop | npm-cli.js"},
           {"/usr/bin/deno", {"deno", "run", "-A", "main.ts"}, "/srv/shop | main.ts"},
           {"/usr/bin/php8.2", {"php", "-d", "a=b", "-S", "127.0.0.1:1", "router.php"}, "/srv/shop | router.php"},
           {"/usr/bin/ruby3.1", {"ruby", "bin/rails", "server"}, "/srv/shop | rails"},
           {"/usr/bin/ruby3.1", {"puma 6.4 (tcp://0.0.0.0:3000) [shop]", "", ""}, "/srv/shop | puma"},
           {"/usr/bin/perl", {"perl", "-wne", "print"}, "/srv/shop | perl"},
           {"/usr/bin/perl", {"perl", "-w", "x.pl"}, "/srv/shop | x.pl"},
           {"/usr/bin/dash", {"sh", "./run.sh", "-c"}, "/srv/shop | run.sh"},
           {"/usr/bin/bash", {"bash", "-lc", "make x.sh"}, "/usr/bin | bash"},
           {"/usr/bin/bash", {"-bash"}, "/usr/bin | bash"},
           {"/bin/busybox", {"sh", "/app/run.sh"}, "/app | run.sh"},
           {"/bin/busybox", {"httpd", "-f"}, "/bin | httpd"},
           {"/usr/share/dotnet/dotnet", {"dotnet", "exec", "--depsfile", "a.json", "Shop.dll"}, "/srv/shop | Shop.dll"},
           {"/usr/lib/R/bin/exec/R", {"/usr/lib/R/bin/exec/R", "--no-echo", "--file=a.R", "--args", "1"}, "/srv/shop | a.R"},
           {"/usr/lib/erlang/erts/bin/beam.smp",
            {"beam.smp", "--", "-root", "/usr/lib/erlang", "-sname", "shop@box", "-s", "x"},
            "/srv/shop | shop"},
           {"/home/me/versions/2.1.3", {"/home/me/bin/claude", "--x"}, "/home/me/versions | claude"},
           {"", {"secret", "-x"}, " | comm"},
       })
    EXPECT_EQ(Started(executable, words).text(), expected) << words.front() << " " << (words.size() > 1 ? words[1] : "");
}

TEST(service_program, reads_options_of_python_as_python_does) {
  EXPECT_EQ(python({"-u", "/srv/search.py", "80"}), "/srv | search.py");
  EXPECT_EQ(python({"search.py"}), "/srv/shop | search.py");
  EXPECT_EQ(python({"./a/../search.py"}), "/srv/shop | search.py");
  EXPECT_EQ(python({"../till/search.py"}), "/srv/till | search.py");
  EXPECT_EQ(python({"-m", "gunicorn", "app"}), "/srv/shop | gunicorn");
  EXPECT_EQ(python({"-Im", "http.server"}), "/srv/shop | http.server");
  EXPECT_EQ(python({"-m", "http.server", "-p", "80"}), "/srv/shop | http.server") << "only Java has a path behind -p";
  EXPECT_EQ(python({"-W", "ignore", "-X", "dev", "search.py"}), "/srv/shop | search.py");
  EXPECT_EQ(python({"-Wignore", "search.py"}), "/srv/shop | search.py");
  EXPECT_EQ(python({"-c", "while 1: pass"}), "/srv/shop | python3.11");
  EXPECT_EQ(python({"-uc", "while 1: pass"}), "/srv/shop | python3.11");
  EXPECT_EQ(python({"-cwhile 1: pass", "x.py"}), "/srv/shop | python3.11");
  EXPECT_EQ(python({"-"}), "/srv/shop | python3.11");
  EXPECT_EQ(python({}), "/srv/shop | python3.11");
}

// What everybody's path has is told apart by where it works, however it says what it is.
TEST(service_program, of_a_bin_folder_is_of_where_it_was_started) {
  EXPECT_EQ(python({"/usr/bin/gunicorn", "app"}), "/srv/shop | gunicorn");
  EXPECT_EQ(python({"/srv/shop/venv/bin/gunicorn", "app"}), "/srv/shop | gunicorn");
  EXPECT_EQ(Started("/usr/bin/python3.11", {"gunicorn: worker [shop]"}).text(), "/srv/shop | gunicorn");
  Started daemon("/usr/bin/python3.11", {"python3", "/usr/bin/networkd-dispatcher"});
  daemon.works_in = "/";
  EXPECT_EQ(daemon.text(), "/usr/bin | networkd-dispatcher");
}

TEST(service_program, that_works_elsewhere_by_now_is_where_its_shell_was) {
  Started daemon("/usr/bin/python3.11", {"python3", "search.py"});
  daemon.works_in = "/";
  daemon.missing = {"/search.py"};
  daemon.variables = {"HOME=/root", "PWD=/srv/shop"};
  EXPECT_EQ(daemon.text(), "/srv/shop | search.py");
  daemon.missing = {"/search.py", "/srv/shop/search.py"};  // removed since
  EXPECT_EQ(daemon.text(), "/ | search.py");
}

TEST(service_program, is_of_nowhere_where_it_is_not_ours_to_see) {
  Started hidden("/usr/bin/python3.11", {"python3", "search.py"});
  hidden.works_in = "";
  EXPECT_EQ(hidden.text(), " | search.py");
}

TEST(service_place, is_the_unit_or_the_group_by_its_name) {
  const auto place = [](const std::string& cgroup) {
    Started started("/x", {"x"}, cgroup);
    return place_of(started.process, started);
  };
  EXPECT_EQ(place("/"), "");
  EXPECT_EQ(place("/system.slice/nginx.service"), "nginx");
  EXPECT_EQ(place("/system.slice/system-postgresql.slice/postgresql@15-main.service"), "postgresql@15-main");
  EXPECT_EQ(place("/system.slice/system-worker.slice/worker@3.service"), "worker") << "copies are one";
  EXPECT_EQ(place("/system.slice/my\\x2dweb.service/payload"), "my-web");
  EXPECT_EQ(place("/user.slice/user-1000.slice/session-3.scope"), "");
  EXPECT_EQ(place("/user.slice/user-1000.slice/user@1000.service/app.slice/shop.service"), "shop");
  EXPECT_EQ(place("/user.slice/user-1000.slice/user@1000.service/init.scope"), "");
  EXPECT_EQ(place("/system.slice/run-u12.service"), "") << "it has another name each time";
  EXPECT_EQ(place("/shop/web"), "web");
  EXPECT_EQ(place("/jobs/55a74001ae9bf6363114615c2b9fbcb5"), "jobs");
}

TEST(service_place, is_what_a_container_is_called) {
  const std::string id(64, 'a');
  Started started("/x", {"x"}, "/system.slice/docker-" + id + ".scope");
  EXPECT_EQ(place_of(started.process, started), "aaaaaaaaaaaa");
  started.containers[id] = "shop-web-2";
  EXPECT_EQ(place_of(started.process, started), "shop-web") << "copies are one";
  Started pod("/x", {"x"}, "/kubepods/pod1/" + id);
  const auto owner = [&](const char* name) {
    pod.variables = {std::string("HOSTNAME=") + name};
    return place_of(pod.process, pod);
  };
  EXPECT_EQ(owner("shop-6d8f9b7c4d-x2x4z"), "shop");
  EXPECT_EQ(owner("shop-web-x2x4z"), "shop-web");
  EXPECT_EQ(owner("shop-0"), "shop");
  EXPECT_EQ(owner("shop"), "shop");
}

TEST(container_names, are_what_docker_and_podman_write_down) {
  EXPECT_EQ(name_in_docker_config(R"({"Name":"/shop"})"), "shop");
  EXPECT_EQ(name_in_docker_config(R"({"Name":"/x-1","Config":{"Labels":{"com.docker.compose.project":"shop",
      "com.docker.compose.service":"web"}}})"),
            "shop-web");
  for (const char* bad : {"", "[]", "{", R"({"Name":7})", R"({"Config":[],"Name":null})"})
    EXPECT_EQ(name_in_docker_config(bad), "") << bad;
  EXPECT_EQ(name_in_podman_list(R"([{"id":"b","names":["till"]},{"id":"a","names":["shop"]}])", "a"), "shop");
  for (const char* bad : {"", "{}", "[1]", R"([{"id":"a"}])", R"([{"id":"a","names":[]}])", R"([{"id":"a","names":[7]}])"})
    EXPECT_EQ(name_in_podman_list(bad, "a"), "") << bad;
}

TEST(service_rule, finds_what_is_run_where) {
  Started started("/usr/bin/python3.11", {"python3", "a+b *[1]\"'.py"}, "/system.slice/shop.service");
  const auto holds = [&](const std::string& text) {
    const Result<ServiceRule> rule = ServiceRule::parse(text);
    EXPECT_TRUE(rule.ok()) << text << ": " << rule.error().message;
    return rule.ok() && matches(*rule, started.process, started);
  };
  EXPECT_TRUE(holds("runs=" + exactly("a+b *[1]\"'.py") + " folder=" + exactly("/srv/shop") + " in=shop"));
  EXPECT_FALSE(holds("runs=" + exactly("a+b x[1]\"'.py")));
  EXPECT_TRUE(holds("runs=*.py folder=/srv/*"));
  EXPECT_FALSE(holds("runs=*.py folder=/srv"));
  EXPECT_FALSE(holds("in=\"\""));
  started.process.command_line[1] =
      "\xc3\xbc"
      "b\xff.py";
  EXPECT_TRUE(holds("runs=" + exactly("\xc3\xbc"
                                      "b\xff.py")));
  EXPECT_TRUE(
      is_utf8(exactly("\xc3\xbc"
                      "b\xff.py")))
      << "it goes into a task, which is text";
  EXPECT_FALSE(holds("runs=" + exactly("\xc3\xbc"
                                       "b\xff.p")));
  started.process.cgroup = "/";
  EXPECT_TRUE(holds("in=\"\""));
}

}  // namespace
}  // namespace atys::capture
