// SPDX-License-Identifier: Apache-2.0
// What service rules ask, answered by this machine.
#include <pwd.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <set>

#include "capture/service_rule.h"
#include "linux/listening_ports.h"

namespace atys::capture {

namespace {

constexpr int kMostAncestors = 64;

bool carries(const linux::ProcessInfo& process, const std::string& rule) {
  for (const std::string& argument : process.command_line)
    if (argument.find(rule) != std::string::npos) return true;
  return false;
}

std::set<pid_t> find_ourselves(const std::string& rule) {
  std::set<pid_t> ourselves{::getpid()};
  pid_t pid = ::getppid();
  for (int i = 0; i < kMostAncestors && pid > 1; ++i) {
    const auto process = linux::read_process(pid);
    if (!process.ok()) break;
    if (carries(*process, rule)) ourselves.insert(pid);
    pid = process->parent;
  }
  return ourselves;
}

class LiveFacts final : public ProcessFacts {
 public:
  explicit LiveFacts(const ServiceRule& rule) : ourselves_(find_ourselves(rule.text())), wanted_(rule.ports()) {}

  bool is_ourselves(const linux::ProcessInfo& process) override { return ourselves_.contains(process.pid); }
  std::vector<std::string> environment(pid_t pid) override {
    auto variables = linux::read_environment(pid);
    return variables.ok() ? variables.take() : std::vector<std::string>{};
  }
  bool listens_on(pid_t pid, uint16_t port) override {
    if (!ports_) ports_ = linux::read_listening_ports(wanted_);
    const auto found = ports_->by_process.find(pid);
    return found != ports_->by_process.end() && found->second.contains(port);
  }
  std::string user_name(uint32_t uid) override {
    const auto [at, is_new] = users_.try_emplace(uid);
    if (!is_new) return at->second;
    char buffer[4096];
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(uid, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr) at->second = found->pw_name;
    return at->second;
  }

 private:
  std::set<pid_t> ourselves_;
  std::set<uint16_t> wanted_;
  std::optional<linux::ListeningPorts> ports_;
  std::map<uint32_t, std::string> users_;
};

}  // namespace

std::unique_ptr<ProcessFacts> live_facts(const ServiceRule& rule) { return std::make_unique<LiveFacts>(rule); }

}  // namespace atys::capture
