// SPDX-License-Identifier: Apache-2.0
#include "capture/node/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/guarded.h"
#include "capture/node/inspector_client.h"
#include "linux/proc_file.h"
#include "linux/proc_text.h"
#include "linux/process.h"

namespace atys::capture::node {

namespace {

constexpr std::string_view kWorkerVariable = "NODE_UNIQUE_ID=";
constexpr size_t kMostAsked = 10'000;

pid_t parent_of(pid_t pid) {
  const auto text = linux::read_proc_file(fmt::format("/proc/{}/stat", pid), 4096);
  if (!text.ok()) return 0;
  const auto stat = linux::parse_stat(*text);
  return stat.ok() ? stat->parent : 0;
}

// A listener of ours to be is told by its text: it is a function of Node.js itself, the same in all versions since 8.
constexpr std::string_view kStopOpening = R"((() => {
  const cluster = process.getBuiltinModule ? process.getBuiltinModule('cluster') : require('cluster');
  const asked = [];
  for (const worker of Object.values(cluster.workers || {})) {
    const waiting = worker.listeners('online').filter((one) => String(one).includes('_debugProcess'));
    for (const one of waiting) worker.removeListener('online', one);
    if (waiting.length === 0) asked.push(worker.process.pid);
  }
  return asked.join(' ');
})())";

struct Asked {
  Guarded<std::map<pid_t, uint64_t>> by_pid;  // and when the process began: numbers are used again
};

Asked& asked() {
  static Asked all;
  return all;
}

}  // namespace

bool is_worker_environment(const std::vector<std::string>& environment) {
  return std::ranges::any_of(environment, [](const std::string& one) { return one.starts_with(kWorkerVariable); });
}

std::vector<pid_t> cluster_workers(pid_t pid) {
  std::vector<pid_t> workers;
  for (const pid_t other : linux::list_processes()) {
    if (parent_of(other) != pid) continue;
    const auto environment = linux::read_environment(other);
    if (environment.ok() && is_worker_environment(*environment)) workers.push_back(other);
  }
  return workers;
}

Result<std::vector<pid_t>> stop_opening_workers(InspectorClient& client, const std::vector<pid_t>& workers,
                                                const Deadline& deadline) {
  const Json answer = TRY(client.call("Runtime.evaluate", evaluation_of(kStopOpening), deadline));
  const std::string text = text_member(member(answer, "result"), "value");
  std::vector<pid_t> signalled;
  for (const std::string_view word : linux::words_of(text)) {
    const auto inside = linux::parse_number<pid_t>(word);
    const auto found = std::ranges::find_if(workers, [&](pid_t worker) {
      const auto process = linux::read_process(worker);
      return process.ok() && process->pid_in_namespace == inside;
    });
    if (found != workers.end()) signalled.push_back(*found);
  }
  return signalled;
}

std::string reopening(const std::string& inspector) {
  return fmt::format(
      "{{ const inspector = {}; "
      "const told = process.listeners('internalMessage').filter((one) => String(one).includes('NODE_DEBUG_ENABLED')); "
      "for (const one of told) process.removeListener('internalMessage', one); "
      "inspector.close(); inspector.open(0, '127.0.0.1'); "
      "for (const one of told) process.on('internalMessage', one); }}",
      inspector);
}

void note_asked_worker(pid_t pid) {
  const auto process = linux::read_process(pid);
  const auto locked = asked().by_pid.lock();
  if (process.ok() && locked->size() < kMostAsked) (*locked)[pid] = process->start_time_ticks;
}

bool claim_asked_worker(pid_t pid) {
  const auto locked = asked().by_pid.lock();
  const auto found = locked->find(pid);
  if (found == locked->end()) return false;
  const bool is_the_same = linux::is_alive(pid, found->second);
  locked->erase(found);
  return is_the_same;
}

std::vector<pid_t> asked_workers() {
  std::vector<pid_t> pids;
  const auto locked = asked().by_pid.lock();
  for (const auto& [pid, began] : *locked) pids.push_back(pid);
  return pids;
}

}  // namespace atys::capture::node
