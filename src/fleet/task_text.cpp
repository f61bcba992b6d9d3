// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "fleet/task.h"

namespace atys::fleet {

namespace {

// Exact for whatever parse_duration() can give.
std::string duration_text(uint64_t ns) {
  return ns == 0 ? "0s" : ns % 1'000'000'000 == 0 ? fmt::format("{}s", ns / 1'000'000'000) : fmt::format("{}ns", ns);
}

std::string percent_text(double share) { return fmt::format("{:.10g}%", share * 100); }

void emit(YAML::Emitter& out, const TaskFrequency& frequency) {
  out << YAML::Key << "frequency" << YAML::Value;
  if (frequency.mode == FrequencyMode::Fixed) {
    out << frequency.fixed_hz;
    return;
  }
  const adapt::FrequencyPlan& plan = frequency.dynamic;
  out << YAML::BeginMap;
  out << YAML::Key << "algorithm" << YAML::Value << (frequency.mode == FrequencyMode::Paper ? "paper" : "pooled");
  out << YAML::Key << "min" << YAML::Value << plan.min_hz << YAML::Key << "max" << YAML::Value << plan.max_hz;
  out << YAML::Key << "threshold" << YAML::Value << plan.threshold;
  out << YAML::Key << "decay" << YAML::Value << plan.decay;
  out << YAML::Key << "stable_windows" << YAML::Value << plan.stable_windows;
  out << YAML::Key << "top" << YAML::Value << plan.top << YAML::Key << "goal" << YAML::Value << plan.goal;
  out << YAML::EndMap;
}

void emit(YAML::Emitter& out, const adapt::PruningRule& prune) {
  out << YAML::Key << "prune" << YAML::Value;
  if (prune.kind == adapt::PruningRule::Kind::None) {
    out << "none";
    return;
  }
  out << YAML::BeginMap;
  if (prune.kind == adapt::PruningRule::Kind::Threads)
    out << YAML::Key << "threads" << YAML::Value << fmt::format("P{:.10g}", prune.value * 100);
  else
    out << YAML::Key << "max_error" << YAML::Value << percent_text(prune.value);
  out << YAML::EndMap;
}

void emit(YAML::Emitter& out, const char* field, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  out << YAML::Key << field << YAML::Value << YAML::Flow << YAML::BeginSeq;
  for (const std::string& text : texts) out << YAML::DoubleQuoted << text;
  out << YAML::EndSeq;
}

}  // namespace

std::string to_yaml(const Task& task) {
  YAML::Emitter out;
  out.SetDoublePrecision(12);
  out << YAML::BeginMap;
  out << YAML::Key << "task" << YAML::Value << YAML::DoubleQuoted << task.name;
  out << YAML::Key << "service" << YAML::Value << YAML::DoubleQuoted << task.service;
  if (!task.as.empty()) out << YAML::Key << "as" << YAML::Value << YAML::DoubleQuoted << task.as;
  emit(out, "nodes", task.nodes);
  emit(out, "kinds", task.kinds);
  emit(out, task.frequency);
  out << YAML::Key << "window" << YAML::Value << duration_text(task.window_ns);
  out << YAML::Key << "pause" << YAML::Value << duration_text(task.pause_ns);
  emit(out, task.prune);
  emit(out, "track", task.track);
  out << YAML::Key << "budget" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "overhead" << YAML::Value << percent_text(task.budget.overhead);
  if (task.budget.memory_bytes > 0) out << YAML::Key << "memory" << YAML::Value << task.budget.memory_bytes;
  out << YAML::EndMap;
  out << YAML::Key << "for" << YAML::Value << duration_text(task.for_ns);
  // Agents before this one do not know the field.
  if (task.allow_inspector) out << YAML::Key << "allow_inspector" << YAML::Value << true;
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace atys::fleet
