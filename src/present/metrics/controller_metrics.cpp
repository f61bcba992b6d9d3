// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/controller_metrics.h"

#include "base/json.h"
#include "present/metrics/metric_text.h"

namespace atys::present::metrics {

namespace {

double as_double(uint64_t number) { return static_cast<double>(number); }

void add_by_reason(MetricText& text, std::string_view name, std::string_view help,
                   const std::map<std::string, uint64_t>& counts) {
  text.family(name, MetricType::Counter, help);
  for (const char* known : {"invalid", "too_large", "too_old", "future", "unavailable", "failed", "store"})
    if (!counts.contains(known)) text.sample(0, {{"reason", known}});
  for (const auto& [reason, count] : counts) text.sample(as_double(count), {{"reason", reason}});
}

void add_doors(MetricText& text, const verbs::ControllerStatus& status, uint64_t refused_tokens) {
  text.counter("atys_controller_messages_total", "OTLP messages that arrived.", as_double(status.messages));
  text.counter("atys_controller_message_bytes_total", "Bytes of OTLP messages, decompressed.",
               as_double(status.message_bytes));
  text.counter("atys_controller_windows_total", "Windows that were stored.", as_double(status.windows));
  text.counter("atys_controller_duplicate_windows_total", "Windows that were there already, and were not stored again.",
               as_double(status.duplicates));
  add_by_reason(text, "atys_controller_refused_messages_total", "OTLP messages that were refused whole, by reason.",
                status.refused_messages);
  add_by_reason(text, "atys_controller_refused_profiles_total", "Profiles of messages that were taken in part, by reason.",
                status.refused_profiles);
  text.counter("atys_controller_refused_tokens_total", "Calls without the right token.", as_double(refused_tokens));
  text.counter("atys_controller_lost_audit_lines_total", "Changes that could not be put down in the audit log.",
               as_double(status.lost_audit_lines));
  text.counter("atys_controller_turned_away_total", "Messages to be sent again later: too much was waiting.",
               as_double(status.turned_away));
  text.counter("atys_controller_packed_messages_total",
               "Of the OTLP messages, those of agents that compress them against the ones before.",
               as_double(status.packed_messages));
  text.counter("atys_controller_packed_bytes_total", "Bytes of those, as they came.", as_double(status.packed_bytes));
  text.counter("atys_controller_packed_missed_total",
               "Of those, the ones to be sent again whole: what they were compressed against is not kept any more.",
               as_double(status.kept.missed));
  text.gauge("atys_controller_kept_bytes",
             "Bytes of messages that are kept because the next ones are compressed against them.",
             as_double(status.kept.bytes));
  text.gauge("atys_controller_waiting_bytes", "Bytes of messages that wait or are worked on.",
             as_double(status.waiting_bytes));
  text.gauge("atys_controller_waiting_limit_bytes", "How many may.", as_double(status.most_waiting_bytes));
  text.gauge("atys_controller_rate_factor", "What agents are asked to multiply their rates by.", status.rate_factor);
  text.counter("atys_controller_reports_total", "Reports of agents.", as_double(status.reports));
}

void add_files(MetricText& text, const store::Health& files, uint64_t limit_bytes) {
  text.gauge("atys_store_bytes", "Bytes on disk.", as_double(files.bytes));
  text.gauge("atys_store_files", "Files of the store.", as_double(files.files));
  text.gauge("atys_store_damaged", "Blocks and files that were found damaged.", as_double(files.damaged));
  text.gauge("atys_store_unchecked_files", "Files of a version without checksums, in which damage may go unnoticed.",
             as_double(files.unchecked_files));
  text.gauge("atys_store_limit_bytes", "How large it may become before the oldest goes; 0: there is no limit.",
             as_double(limit_bytes));
  text.family("atys_store_level_bytes", MetricType::Gauge,
              "Bytes of blocks, by level: windows, sums per minute and per hour.");
  for (size_t level = 0; level < store::kLevels; ++level)
    text.sample(as_double(files.levels[level].bytes), {{"level", to_string(static_cast<store::Level>(level))}});
}

void add_store(MetricText& text, const verbs::ControllerStatus& status) {
  text.gauge("atys_store_trouble", "1: it cannot take windows now; agents keep theirs.",
             status.store_trouble.empty() ? 0 : 1);
  text.gauge("atys_store_windows", "Windows that are kept.", as_double(status.store.windows));
  if (status.store_files) add_files(text, *status.store_files, status.store_limit_bytes);
  text.counter("atys_store_retention_dropped_windows_total", "Windows whose last sum was dropped by retention.",
               as_double(status.dropped_windows));
  text.counter("atys_store_retention_dropped_files_total", "Days that were dropped whole by retention.",
               as_double(status.dropped_files));
  text.gauge("atys_controller_clock_ahead_seconds",
             "How far the clock is ahead of what is stored and of the time that has passed; negative: behind.",
             static_cast<double>(status.clock_ahead_ns) / 1e9);
  text.counter("atys_controller_clock_jumps_total", "How often the clock was set by more than five minutes.",
               as_double(status.clock_jumps));
  text.counter("atys_store_compactions_total", "Rounds of summing up.", as_double(status.compactions));
}

void add_nodes(MetricText& text, const verbs::ControllerStatus& status, const verbs::NodesAnswer& nodes) {
  text.gauge("atys_controller_nodes", "Nodes that are known.", as_double(status.nodes));
  text.gauge("atys_controller_nodes_away", "Nodes that have missed their reports.", as_double(status.nodes_away));
  text.gauge("atys_controller_nodes_joined", "Nodes that have a token of their own.", as_double(status.nodes_joined));
  text.counter("atys_controller_nodes_crowded_out_total",
               "Nodes without a token of their own that were forgotten because there were too many.",
               as_double(status.nodes_crowded_out));
  text.gauge("atys_controller_tasks", "Tasks that are known.", as_double(status.tasks));
  text.family("atys_node_up", MetricType::Gauge, "1: the node reports; 0: it has missed its reports.");
  for (const verbs::NodeRow& node : nodes.nodes) text.sample(node.is_away ? 0 : 1, {{"node", node.node}});
  text.family("atys_node_spooled_bytes", MetricType::Gauge, "Windows that wait at the node, as it says.");
  for (const verbs::NodeRow& node : nodes.nodes) text.sample(as_double(node.spooled_bytes), {{"node", node.node}});
  text.family("atys_node_dropped_windows", MetricType::Gauge, "Windows of the node that were lost since it started.");
  for (const verbs::NodeRow& node : nodes.nodes) text.sample(as_double(node.dropped_windows), {{"node", node.node}});
  text.family("atys_node_clock_ahead_seconds", MetricType::Gauge,
              "By how much the node's clock is ahead of the controller's.");
  for (const verbs::NodeRow& node : nodes.nodes)
    text.sample(static_cast<double>(node.clock_ahead_ns) / 1e9, {{"node", node.node}});
  text.family("atys_service_windows_total", MetricType::Counter, "Windows that arrived, by service; the rest is `other`.");
  for (const auto& [service, count] : status.windows_by_service) text.sample(as_double(count), {{"service", service}});
}

void add_upstream(MetricText& text, const verbs::ControllerStatus& status) {
  if (!status.has_upstream) return;
  text.gauge("atys_upstream_connected", "Whether the controller above answers.", status.upstream.is_connected ? 1 : 0);
  text.gauge("atys_upstream_spooled_bytes", "Bytes that wait for it.", as_double(status.upstream.spooled_bytes));
  text.counter("atys_upstream_sent_windows_total", "Windows that were passed on.", as_double(status.upstream.sent_windows));
  text.counter("atys_upstream_dropped_windows_total", "Windows that there was no room for, or that it does not take.",
               as_double(status.upstream.dropped_windows));
}

}  // namespace

std::string render(const verbs::ControllerStatus& status, const verbs::NodesAnswer& nodes, uint64_t refused_tokens) {
  MetricText text;
  text.gauge("atys_controller_start_time_seconds", "Unix time of the start.", static_cast<double>(status.started_ns) / 1e9);
  add_doors(text, status, refused_tokens);
  add_store(text, status);
  add_nodes(text, status, nodes);
  add_upstream(text, status);
  return text.take();
}

std::string discovery(const verbs::NodesAnswer& nodes) {
  JsonWriter json;
  json.begin_array();
  for (const verbs::NodeRow& node : nodes.nodes) {
    if (node.metrics_address.empty()) continue;
    json.begin_object().key("targets").begin_array().value(node.metrics_address).end_array();
    json.key("labels").begin_object().field("node", node.node).end_object().end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace atys::present::metrics
