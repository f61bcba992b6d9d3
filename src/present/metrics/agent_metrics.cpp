// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/agent_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "present/metrics/metric_text.h"
#include "profile/kinds.h"

namespace atys::present::metrics {

namespace {

constexpr double kNsPerSecond = 1e9;

using Family = profile::KindRow::MetricFamily;

// Of the value type that a row is of: what is no other kind's is an event's.
const Family& family_of(const std::string& value_type) {
  const profile::KindRow* kind = profile::find_kind_of_weight(value_type);
  return kind != nullptr ? kind->metric : profile::kinds().back().metric;
}

std::vector<Family> families() {
  std::vector<Family> found;
  for (const profile::KindRow& kind : profile::kinds())
    if (std::ranges::count(found, kind.metric.name, &Family::name) == 0) found.push_back(kind.metric);
  return found;
}

MetricLabels labels_of(const fleet::Hotspots::Row& row, const std::string& function) {
  MetricLabels labels{{"service", row.key.service}, {"service_instance", row.key.instance}, {"function", function}};
  if (family_of(row.key.kind).is_shared) labels.emplace_back("kind", row.key.kind);
  return labels;
}

// One pair of families: what functions took themselves, and with what they called.
void add_functions(const verbs::AgentStatus& status, const Family& family, MetricText& text) {
  text.family(fmt::format("atys_function_{}_total", family.name), MetricType::Counter,
              fmt::format("{} of the function itself; `other` is all the rest.", family.help));
  for (const auto& row : status.hotspots)
    for (const auto& function : row.functions)
      if (family_of(row.key.kind).name == family.name) text.sample(function.self, labels_of(row, function.name));
  text.family(fmt::format("atys_function_inclusive_{}_total", family.name), MetricType::Counter,
              fmt::format("{} of the function and of what it called.", family.help));
  for (const auto& row : status.hotspots)
    for (const auto& function : row.functions)
      if (family_of(row.key.kind).name == family.name && function.name != "other")
        text.sample(function.total, labels_of(row, function.name));
}

void add_tasks(const verbs::AgentStatus& status, MetricText& text) {
  const auto each = [&](std::string_view name, MetricType type, std::string_view help, auto value) {
    text.family(name, type, help);
    for (const fleet::TaskState& task : status.report.tasks) text.sample(value(task), {{"task", task.task}});
  };
  each("atys_task_instances", MetricType::Gauge, "Processes that the task profiles now.",
       [](const auto& t) { return t.instances; });
  each("atys_task_frequency_hertz", MetricType::Gauge, "Sampling rate of the last window.",
       [](const auto& t) { return t.hz; });
  each("atys_task_windows_total", MetricType::Counter, "Windows that were recorded.",
       [](const auto& t) { return static_cast<double>(t.windows); });
  each("atys_task_overhead_ratio", MetricType::Gauge, "CPU time of sampling over that of the service.",
       [](const auto& t) { return t.overhead; });
  each("atys_task_running", MetricType::Gauge, "1 if the task runs, 0 if something is in its way.",
       [](const auto& t) { return t.trouble.empty() ? 1 : 0; });
}

}  // namespace

std::string render(const verbs::AgentStatus& status) {
  MetricText text;
  text.family("atys_agent_info", MetricType::Gauge, "The agent and its version.");
  text.sample(1, {{"node", status.report.node}, {"version", status.report.version}});
  text.counter("atys_agent_cpu_seconds_total", "CPU time of the agent, its programs in the kernel included.",
               static_cast<double>(status.report.cpu_ns) / kNsPerSecond);
  text.gauge("atys_agent_cpu_ratio", "The same as a share of one core, lately.", status.cpu_share);
  text.gauge("atys_agent_resident_bytes", "Memory of the agent.", static_cast<double>(status.report.memory_bytes));
  text.gauge("atys_agent_rate_factor", "What rates are multiplied by to stay within the budget; 1: nothing is held back.",
             status.rate_factor);
  text.gauge("atys_agent_connected", "1 if the controller answered the last report.", status.is_connected ? 1 : 0);
  text.counter("atys_agent_windows_sent_total", "Windows that the controller has.", static_cast<double>(status.spool.sent));
  text.counter("atys_agent_windows_dropped_total", "Windows that no controller will see.",
               static_cast<double>(status.spool.dropped));
  text.family("atys_agent_windows_lost_total", MetricType::Counter, "The same, by reason.");
  for (size_t reason = 0; reason < fleet::kDropReasons; ++reason)
    text.sample(static_cast<double>(status.spool.dropped_by[reason]),
                {{"reason", to_string(static_cast<fleet::DropReason>(reason))}});
  text.family("atys_agent_trouble", MetricType::Gauge,
              "1: something is in the way, which the log names with what to do. With the controller (token, certificate, "
              "address), with windows that wait, with the clock.");
  text.sample(status.trouble.empty() ? 0 : 1, {{"with", "controller"}});
  text.sample(status.sending_trouble.empty() ? 0 : 1, {{"with", "windows"}});
  text.sample(status.clock_trouble.empty() ? 0 : 1, {{"with", "clock"}});
  text.gauge("atys_agent_clock_ahead_seconds", "By how much this machine's clock is ahead of the controller's.",
             static_cast<double>(status.clock_ahead_ns) / kNsPerSecond);
  text.gauge("atys_agent_spool_bytes", "Windows that wait for the controller.", static_cast<double>(status.spool.bytes));
  text.counter("atys_agent_recorded_bytes_total", "Windows as they leave the node, before compression.",
               static_cast<double>(status.bytes_recorded));
  add_tasks(status, text);
  for (const Family& family : families()) add_functions(status, family, text);
  return text.take();
}

}  // namespace atys::present::metrics
