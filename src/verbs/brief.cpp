// SPDX-License-Identifier: Apache-2.0
#include "verbs/brief.h"

#include <algorithm>
#include <set>

#include "reduce/confidence.h"
#include "verbs/call_tree.h"
#include "verbs/hot_tree.h"

namespace atys::verbs {

using reduce::EntityId;
using reduce::Origin;

namespace {

constexpr double kLeastSelf = 0.01;  // of the whole: what is below is noise to who looks for a culprit
constexpr double kLeastTotal = 0.05;
constexpr double kLeastOfRuntime = 0.1;  // what the user's code should call less is worth a row only where it is much
constexpr double kLeastInTree = 0.02;
constexpr double kPassesOn = 0.95;  // a function with a callee of this share of it does nothing else

struct Costs {
  std::vector<double> self;              // by entity
  std::vector<double> charged;           // to the user's code
  std::vector<double> of_runtime;        // self, of the runtime's functions
  std::vector<double> in_code;           // to the innermost function that is not the runtime's
  std::vector<double> total;             // of functions that are not the runtime's
  std::vector<double> total_of_workers;  // the same where it does more than pass on
  std::vector<double> total_of_entries;  // the same of libraries' functions that the user's code calls
};

std::vector<double> self_of(const Profile& profile, size_t column, const reduce::CodeOrigins& code) {
  return code.charged(profile, column, Origin::Runtime);
}

// How much of a node its costliest callee has.
std::vector<double> heaviest_child_of(const CallTree& tree) {
  std::vector<double> heaviest(tree.nodes().size());
  for (size_t i = 1; i < tree.nodes().size(); ++i) {
    double& of_parent = heaviest[tree.nodes()[i].parent];
    of_parent = std::max(of_parent, tree.nodes()[i].total);
  }
  return heaviest;
}

Costs costs_of(const ViewedProfile& viewed, const reduce::CodeOrigins& code, const CallTree& tree) {
  const Profile& profile = viewed.loaded.profile;
  Costs costs;
  costs.self = self_of(profile, viewed.column, code);
  costs.charged = code.charged(profile, viewed.column, code.shown_as_own());
  costs.in_code = code.charged(profile, viewed.column, std::max(code.shown_as_own(), Origin::Library));
  const size_t entities = costs.self.size();
  costs.total.resize(entities);
  costs.total_of_workers.resize(entities);
  costs.total_of_entries.resize(entities);
  costs.of_runtime = costs.self;
  for (size_t i = 0; i < entities; ++i) {
    const EntityId entity{static_cast<uint32_t>(i)};
    if (code.is_own(entity)) costs.in_code[i] = 0;
    if (!code.is_runtime(entity)) costs.of_runtime[i] = 0;
  }
  const auto heaviest = heaviest_child_of(tree);
  for (size_t i = 1; i < tree.nodes().size(); ++i) {
    const CallNode& node = tree.nodes()[i];
    const auto entity = static_cast<size_t>(node.entity);
    costs.total[entity] += node.total;
    if (heaviest[i] < kPassesOn * node.total) costs.total_of_workers[entity] += node.total;
    const bool is_called_by_own = node.parent != 0 && code.is_own(tree.nodes()[node.parent].entity);
    if (is_called_by_own && !code.is_own(node.entity)) costs.total_of_entries[entity] += node.total;
  }
  return costs;
}

// The entities that cost at least `least`, costliest first.
std::vector<size_t> ranking(const std::vector<double>& costs, double least) {
  std::vector<size_t> order;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] > 0 && costs[i] >= least) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  return order;
}

// One of each list in turn, none twice.
std::vector<size_t> in_turn(const std::vector<std::vector<size_t>>& lists, size_t most) {
  std::vector<size_t> merged;
  std::set<size_t> seen;
  std::vector<size_t> next(lists.size());
  for (bool is_any_left = true; is_any_left && merged.size() < most;) {
    is_any_left = false;
    for (size_t list = 0; list < lists.size() && merged.size() < most; ++list) {
      while (next[list] < lists[list].size() && !seen.insert(lists[list][next[list]]).second) ++next[list];
      if (next[list] == lists[list].size()) continue;
      merged.push_back(lists[list][next[list]++]);
      is_any_left = true;
    }
  }
  return merged;
}

}  // namespace

Brief brief(const ViewedProfile& viewed, const reduce::CodeOrigins& code, size_t most) {
  const Profile& profile = viewed.loaded.profile;
  const CallTree tree(profile, viewed.column, code.attribution(), [&](EntityId entity) { return !code.is_runtime(entity); });
  const Costs costs = costs_of(viewed, code, tree);
  const double sum = code.sum();
  const double samples = reduce::effective_samples(profile, viewed.column);

  Brief result;
  result.functions = ranking(costs.total, 0).size();
  const std::vector<size_t> chosen =
      in_turn({ranking(costs.charged, kLeastSelf * sum), ranking(costs.in_code, kLeastSelf * sum),
               ranking(costs.total_of_workers, kLeastTotal * sum), ranking(costs.total_of_entries, kLeastTotal * sum),
               ranking(costs.of_runtime, kLeastOfRuntime * sum)},
              most);
  for (const size_t entity : chosen) {
    const auto percent = [&](double value) { return sum == 0 ? 0 : value / sum * 100; };
    const bool is_own = code.is_own(EntityId{static_cast<uint32_t>(entity)});
    const double charged = std::max(is_own ? costs.charged[entity] : costs.in_code[entity], costs.self[entity]);
    const double total = std::max(costs.total[entity], costs.self[entity]);
    const reduce::Interval interval = reduce::share_interval(sum == 0 ? 0 : costs.self[entity] / sum, samples);
    result.rows.push_back({.entity = code.attribution().entities()[entity],
                           .self = costs.self[entity],
                           .self_percent = percent(costs.self[entity]),
                           .total = total,
                           .total_percent = percent(total),
                           .ci95 = {interval.low * 100, interval.high * 100},
                           .charged = charged,
                           .charged_percent = percent(charged),
                           .origin = std::string(to_string(code.of(EntityId{static_cast<uint32_t>(entity)}))),
                           .rank = result.rows.size()});
  }
  const auto heaviest = heaviest_child_of(tree);
  result.tree = cut_tree(tree, code, samples, most, [&](uint32_t node) {
                  const CallNode& of = tree.nodes()[node];
                  const bool only_passes_on = heaviest[node] >= kPassesOn * of.total && !code.is_own(of.entity);
                  return of.total >= kLeastInTree * sum && !only_passes_on;
                }).rows;
  return result;
}

}  // namespace atys::verbs
