// SPDX-License-Identifier: Apache-2.0
// What service rules ask, answered by this machine.
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "capture/target/container_names.h"
#include "capture/target/service_rule.h"
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
  LiveFacts(std::set<pid_t> ourselves, std::set<uint16_t> ports)
      : ourselves_(std::move(ourselves)), wanted_(std::move(ports)) {}

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
  std::string working_folder(pid_t pid) override {
    std::string path(4096, '\0');
    const ssize_t length = ::readlink(("/proc/" + std::to_string(pid) + "/cwd").c_str(), path.data(), path.size());
    path.resize(static_cast<size_t>(std::max<ssize_t>(0, length)));
    return path;
  }
  bool has_file(pid_t pid, const std::string& path) override {
    return ::access(("/proc/" + std::to_string(pid) + "/root" + path).c_str(), F_OK) == 0;
  }
  std::string container_name(const std::string& id) override {
    const auto [at, is_new] = containers_.try_emplace(id);
    if (is_new) at->second = find_container_name(id);
    return at->second;
  }

 private:
  std::set<pid_t> ourselves_;
  std::set<uint16_t> wanted_;
  std::optional<linux::ListeningPorts> ports_;
  std::map<uint32_t, std::string> users_;
  std::map<std::string, std::string> containers_;
};

}  // namespace

std::unique_ptr<ProcessFacts> live_facts(const ServiceRule& rule) {
  return std::make_unique<LiveFacts>(find_ourselves(rule.text()), rule.ports());
}

std::unique_ptr<ProcessFacts> live_facts() {
  return std::make_unique<LiveFacts>(std::set<pid_t>{::getpid()}, std::set<uint16_t>{});
}

}  // namespace atys::capture
