// SPDX-License-Identifier: Apache-2.0
#include "fleet/task.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/quantities.h"
#include "capture/recording_plan.h"
#include "capture/target/service_rule.h"
#include "fleet/yaml_fields.h"

namespace atys::fleet {

namespace {

constexpr double kHighestHz = 20000;
constexpr uint64_t kShortestWindow = 1'000'000'000;
constexpr uint64_t kLongestWindow = 3600'000'000'000;
constexpr size_t kLongestName = 100;
constexpr size_t kLongestServiceName = 200;

Error out_of_range(const std::string& text, const char* range) {
  return fail(ErrorCode::InvalidInput, fmt::format("{} is out of range", text), fmt::format("take {}", range));
}

auto read_hz(double& into) {
  return [&into](const std::string& text) -> Result<> {
    into = TRY(parse_frequency(text));
    if (into < 1 || into > kHighestHz) return out_of_range(text, "1 to 20000 Hz");
    return {};
  };
}

auto read_duration(uint64_t& into, uint64_t least, uint64_t most) {
  return [&into, least, most](const std::string& text) -> Result<> {
    into = text == "0" || text == "0s" ? 0 : TRY(parse_duration(text));
    if (into < least || into > most) return out_of_range(text, least > 0 ? "1s to 1h" : "no more than a year");
    return {};
  };
}

auto read_number(double& into, double least, double most) {
  return [&into, least, most](const std::string& text) -> Result<> {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (error != std::errc{} || end != text.data() + text.size() || !(into >= least && into <= most))
      return fail(ErrorCode::InvalidInput, fmt::format("'{}' will not do", text), fmt::format("take {} to {}", least, most));
    return {};
  };
}

auto read_count(size_t& into, size_t most) {
  return [&into, most](const std::string& text) -> Result<> {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (error != std::errc{} || end != text.data() + text.size() || into < 1 || into > most)
      return fail(ErrorCode::InvalidInput, fmt::format("'{}' will not do", text), fmt::format("take 1 to {}", most));
    return {};
  };
}

auto read_share(double& into) {
  return [&into](const std::string& text) -> Result<> {
    into = TRY(parse_percent(text));
    if (into > 1) return out_of_range(text, "up to 100%");
    return {};
  };
}

auto read_choice(bool& into) {
  return [&into](const std::string& text) -> Result<> {
    if (text != "true" && text != "false")
      return fail(ErrorCode::InvalidInput, fmt::format("'{}' is neither yes nor no", text), "take true or false");
    into = text == "true";
    return {};
  };
}

Result<FrequencyMode> parse_mode(const std::string& text) {
  if (text == "pooled") return FrequencyMode::Pooled;
  if (text == "paper") return FrequencyMode::Paper;
  return fail(ErrorCode::InvalidInput, fmt::format("there is no algorithm '{}'", text), "take pooled or paper");
}

Result<TaskFrequency> read_frequency(YamlFields& task, std::string_view source) {
  TaskFrequency frequency;
  const YAML::Node node = task.node("frequency");
  if (!node.IsDefined()) return frequency;
  if (node.IsScalar()) {
    if (node.Scalar() == "dynamic") return frequency;
    frequency.mode = FrequencyMode::Fixed;
    TRY(task.text("frequency", read_hz(frequency.fixed_hz)));
    return frequency;
  }
  YamlFields fields = TRY(YamlFields::of(node, source, "frequency"));
  adapt::FrequencyPlan& plan = frequency.dynamic;
  TRY(fields.text("algorithm", [&](const std::string& text) -> Result<> {
    frequency.mode = TRY(parse_mode(text));
    return {};
  }));
  TRY(fields.text("min", read_hz(plan.min_hz)));
  TRY(fields.text("max", read_hz(plan.max_hz)));
  TRY(fields.text("threshold", read_number(plan.threshold, 0, 1)));
  TRY(fields.text("decay", read_number(plan.decay, 0.01, 0.99)));
  TRY(fields.text("stable_windows", read_count(plan.stable_windows, 1000)));
  TRY(fields.text("top", read_count(plan.top, 64)));
  TRY(fields.text("goal", read_number(plan.goal, 0.01, 10)));
  TRY(fields.end());
  if (plan.min_hz > plan.max_hz)
    return fields.error(node, fmt::format("frequency: min {} is above max {}", plan.min_hz, plan.max_hz), "swap them");
  return frequency;
}

Result<adapt::PruningRule> read_prune(YamlFields& task, std::string_view source) {
  adapt::PruningRule prune = Task().prune;
  const YAML::Node node = task.node("prune");
  if (!node.IsDefined()) return prune;
  if (node.IsScalar() && node.Scalar() == "none") return adapt::PruningRule{};
  YamlFields fields = TRY(YamlFields::of(node, source, "prune"));
  if (fields.has("threads") == fields.has("max_error"))
    return fields.error(node, "prune wants one of two rules", "write `threads: P99`, `max_error: 1%`, or `prune: none`");
  TRY(fields.text("threads", [&](const std::string& text) -> Result<> {
    prune.kind = adapt::PruningRule::Kind::Threads;
    if (!text.starts_with('P'))
      return fail(ErrorCode::InvalidInput, fmt::format("'{}' is no percentile", text), "write P99");
    TRY(read_share(prune.value)(text.substr(1)));
    return {};
  }));
  TRY(fields.text("max_error", read_share(prune.value)));
  TRY(fields.end());
  return prune;
}

Result<TaskBudget> read_budget(YamlFields& task, std::string_view source) {
  TaskBudget budget;
  const YAML::Node node = task.node("budget");
  if (!node.IsDefined()) return budget;
  YamlFields fields = TRY(YamlFields::of(node, source, "budget"));
  TRY(fields.text("overhead", read_share(budget.overhead)));
  TRY(fields.text("memory", [&](const std::string& text) -> Result<> {
    budget.memory_bytes = TRY(parse_bytes(text));
    return {};
  }));
  TRY(fields.end());
  return budget;
}

// A name is part of addresses, file names and metrics.
Result<> check_name(const std::string& text) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (text.empty() || text.size() > kLongestName || text.starts_with('.') || !std::all_of(text.begin(), text.end(), fits))
    return fail(ErrorCode::InvalidInput, fmt::format("'{}' is no name", text), "take letters, digits, '-', '_' and '.'");
  return {};
}

Result<> check_service_name(const std::string& text) {
  const bool is_text = std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (text.empty() || text.size() > kLongestServiceName || !is_text)
    return fail(ErrorCode::InvalidInput, "what the service is called has to be 1 to 200 bytes of text");
  return {};
}

Result<> check_kinds(const YamlFields& fields, const YAML::Node& node, const std::vector<std::string>& kinds) {
  for (const std::string& kind : kinds)
    if (Result<capture::Kind> known = capture::Kind::parse(kind); !known.ok())
      return fields.error(node, "kinds: " + known.error().message, known.error().hint);
  if (kinds.empty()) return fields.error(node, "kinds is empty", fmt::format("write [{}]", profile::default_kind().name));
  return {};
}

Result<> check_tracked(const YamlFields& fields, const YAML::Node& node, const std::vector<std::string>& functions) {
  for (const std::string& text : functions) {
    if (text.size() < 3 || !text.starts_with('/') || !text.ends_with('/')) continue;
    if (const re2::RE2 pattern(text.substr(1, text.size() - 2), re2::RE2::Quiet); !pattern.ok())
      return fields.error(node, fmt::format("track: bad pattern {}: {}", text, pattern.error()),
                          "mend it, or write the name without slashes");
  }
  return {};
}

}  // namespace

bool Task::runs_on(std::string_view node) const {
  const std::string wanted(node);
  return nodes.empty() || std::any_of(nodes.begin(), nodes.end(), [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), wanted.c_str(), 0) == 0;
         });
}

std::string service_name(const Task& task) {
  if (!task.as.empty()) return task.as;
  if (const Result<capture::ServiceRule> rule = capture::ServiceRule::parse(task.service); rule.ok())
    for (const auto& condition : rule->conditions())
      if (condition.field == capture::ServiceRule::Field::Name) return condition.value;
  return task.name;
}

std::string task_name_in(const std::string& text) {
  const Result<YAML::Node> root = YamlFields::parse(text, "");
  if (!root.ok() || !root->IsMap()) return "?";
  const YAML::Node name = (*root)["task"];
  return name.IsDefined() && name.IsScalar() && check_name(name.Scalar()).ok() ? name.Scalar() : "?";
}

Result<Task> parse_task(const std::string& text, std::string_view source) {
  const YAML::Node root = TRY(YamlFields::parse(text, source));
  YamlFields fields = TRY(YamlFields::of(root, source, "a task"));
  TRY(fields.must_have("task"));
  TRY(fields.must_have("service"));
  Task task;
  TRY(fields.text("task", [&](const std::string& name) -> Result<> {
    task.name = name;
    return check_name(name);
  }));
  TRY(fields.text("service", [&](const std::string& rule) -> Result<> {
    task.service = rule;
    TRY(capture::ServiceRule::parse(rule));
    return {};
  }));
  TRY(fields.text("as", [&](const std::string& name) -> Result<> {
    task.as = name;
    return check_service_name(name);
  }));
  TRY(fields.texts("nodes", task.nodes));
  TRY(fields.texts("kinds", task.kinds));
  TRY(check_kinds(fields, fields.node("kinds"), task.kinds));
  task.frequency = TRY(read_frequency(fields, source));
  TRY(fields.text("window", read_duration(task.window_ns, kShortestWindow, kLongestWindow)));
  TRY(fields.text("pause", read_duration(task.pause_ns, 0, 365 * 24 * kLongestWindow)));
  task.prune = TRY(read_prune(fields, source));
  TRY(fields.texts("track", task.track));
  TRY(check_tracked(fields, fields.node("track"), task.track));
  task.budget = TRY(read_budget(fields, source));
  TRY(fields.text("for", read_duration(task.for_ns, 0, 365 * 24 * kLongestWindow)));
  TRY(fields.text("allow_inspector", read_choice(task.allow_inspector)));
  TRY(fields.end());
  return task;
}

}  // namespace atys::fleet
