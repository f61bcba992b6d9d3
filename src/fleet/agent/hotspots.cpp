// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/hotspots.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "fleet/window_labels.h"
#include "reduce/anonymous.h"

namespace atys::fleet {

using namespace profile;

namespace {

constexpr double kNsPerSecond = 1e9;
using Costs = std::map<std::string, std::pair<double, double>>;  // function → self, total

std::string label_text(const Profile& profile, LabelSetId set, std::string_view key) {
  for (const LabelId label : profile.label_sets[set])
    if (profile.text(profile.labels[label].key) == key) return std::string(profile.text(profile.labels[label].text));
  return {};
}

// The functions of a stack, innermost first, each once.
std::vector<std::string> functions_of(const Profile& profile, StackId stack) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const FrameId frame : profile.stacks[stack]) {
    const auto lines = profile.lines[profile.frames[frame].lines];
    if (lines.empty()) {
      std::string name = frame_name(profile, frame);
      if (seen.insert(name).second) names.push_back(std::move(name));
    }
    for (const Line& line : lines) {
      std::string name = reduce::lasting_name(profile, line.function);
      if (seen.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace

bool Hotspots::is_tracked(const std::string& function) const {
  return std::any_of(plan_.track.begin(), plan_.track.end(), [&](const std::string& wanted) {
    if (wanted.size() > 2 && wanted.starts_with('/') && wanted.ends_with('/'))
      return re2::RE2::PartialMatch(function, wanted.substr(1, wanted.size() - 2));
    return function.find(wanted) != std::string::npos;
  });
}

void Hotspots::add(const Profile& window, uint64_t now_ns) {
  if (window.value_types().empty()) return;
  const size_t column = window.default_value_column();
  const ValueType type = window.value_types()[column];
  const double unit = window.text(type.unit) == "nanoseconds" ? kNsPerSecond : 1;
  std::map<Key, Costs> costs;
  std::map<uint32_t, std::vector<std::string>> names;
  for (size_t row = 0; row < window.samples.size(); ++row) {
    const LabelSetId labels = window.samples.labels(row);
    const StackId stack = window.samples.stack(row);
    const auto [found, is_new] = names.try_emplace(raw(stack));
    if (is_new) found->second = functions_of(window, stack);
    const double value = static_cast<double>(window.samples.value(row, column)) / unit;
    Costs& of_instance = costs[{label_text(window, labels, kServiceName), label_text(window, labels, kServiceInstance),
                                std::string(window.text(type.type))}];
    for (size_t i = 0; i < found->second.size(); ++i) {
      auto& [self, total] = of_instance[found->second[i]];
      total += value;
      if (i == 0) self += value;
    }
  }
  for (const auto& [key, of_instance] : costs) add_instance(key, of_instance, now_ns);
  std::erase_if(instances_, [&](const auto& known) { return known.second.last_ns + plan_.stays_ns < now_ns; });
}

void Hotspots::add_instance(const Key& key, const Costs& costs, uint64_t now_ns) {
  Instance& instance = instances_[key];
  instance.last_ns = now_ns;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, cost] : costs) order.emplace_back(cost.first, name);
  std::sort(order.begin(), order.end(), std::greater<>());
  for (size_t i = 0; i < order.size(); ++i) {
    const std::string& name = order[i].second;
    if ((i >= plan_.top || order[i].first <= 0) && !is_tracked(name)) continue;
    if (!instance.functions.contains(name) && instance.functions.size() >= plan_.most) continue;
    instance.functions[name].last_top_ns = now_ns;
  }
  for (auto at = instance.functions.begin(); at != instance.functions.end();) {
    const bool is_over = at->second.last_top_ns + plan_.stays_ns < now_ns;
    if (is_over) instance.other += at->second.self;
    at = is_over ? instance.functions.erase(at) : std::next(at);
  }
  for (const auto& [name, cost] : costs) {
    const auto found = instance.functions.find(name);
    if (found == instance.functions.end()) {
      instance.other += cost.first;
      continue;
    }
    found->second.self += cost.first;
    found->second.total += cost.second;
  }
}

std::vector<Hotspots::Row> Hotspots::rows(uint64_t now_ns) const {
  std::vector<Row> rows;
  for (const auto& [key, instance] : instances_) {
    if (instance.last_ns + plan_.stays_ns < now_ns) continue;
    Row& row = rows.emplace_back(Row{key, {}});
    for (const auto& [name, counter] : instance.functions) row.functions.push_back({name, counter.self, counter.total});
    std::sort(row.functions.begin(), row.functions.end(),
              [](const Function& a, const Function& b) { return a.self != b.self ? a.self > b.self : a.name < b.name; });
    row.functions.push_back({"other", instance.other, 0});
  }
  return rows;
}

}  // namespace atys::fleet
