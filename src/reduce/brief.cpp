// SPDX-License-Identifier: Apache-2.0
#include "reduce/brief.h"

#include <algorithm>
#include <span>
#include <vector>

#include "reduce/call_tree.h"
#include "reduce/confidence.h"
#include "reduce/hot_tree.h"
#include "reduce/sample_count.h"

namespace atys::reduce {

namespace {

constexpr double kLeastSelf = 0.01;  // of the whole: what is below is noise to who looks for a culprit
constexpr double kLeastTotal = 0.05;
constexpr double kLeastInTree = 0.02;
constexpr double kPassesOn = 0.95;       // a function with a callee of this share of it does nothing else
constexpr double kHoldsAll = 0.9;        // one that so much passes through says nothing of where that goes
constexpr double kLeastCallee = 0.05;    // a callee is worth naming where it is so much of the whole
constexpr double kLeastOfCharged = 0.3;  // … and of what its caller is charged

constexpr EntityId id(size_t entity) { return EntityId{static_cast<uint32_t>(entity)}; }

// What each function costs, by entity.
struct Costs {
  std::vector<double> self;
  std::vector<double> in_code;  // with the runtime that it calls; of functions that are not the runtime's
  std::vector<double> in_own;   // with the packages and the runtime that it calls; of the user's functions
  std::vector<double> total;    // of functions that are not the runtime's
  std::vector<double> holding;  // the same where it neither only passes on nor holds everything
};

// How much of a node its costliest callee has.
std::vector<double> heaviest_child_of(const CallTree& tree) {
  std::vector<double> heaviest(tree.nodes().size());
  for (size_t i = 1; i < tree.nodes().size(); ++i) {
    double& of_parent = heaviest[tree.nodes()[i].parent];
    of_parent = std::max(of_parent, tree.nodes()[i].total);
  }
  return heaviest;
}

Costs costs_of(const Profile& profile, size_t column, const CodeOrigins& code, const CallTree& tree) {
  Costs costs;
  costs.self = code.charged(profile, column, Origin::Runtime);
  costs.in_own = code.charged(profile, column, code.shown_as_own());
  costs.in_code = code.charged(profile, column, std::max(code.shown_as_own(), Origin::Library));
  costs.total.resize(costs.self.size());
  costs.holding.resize(costs.self.size());
  const auto heaviest = heaviest_child_of(tree);
  for (size_t i = 1; i < tree.nodes().size(); ++i) {
    const CallNode& node = tree.nodes()[i];
    const auto entity = static_cast<size_t>(node.entity);
    costs.total[entity] += node.total;
    if (heaviest[i] < kPassesOn * node.total) costs.holding[entity] += node.total;
  }
  const double inside = tree.nodes()[0].total - tree.nodes()[0].self;
  for (size_t i = 0; i < costs.total.size(); ++i) {
    if (costs.total[i] >= kHoldsAll * inside) costs.holding[i] = 0;
  }
  return costs;
}

// The entities that cost at least `least`, costliest first.
std::vector<size_t> ranking(std::span<const double> costs, double least) {
  std::vector<size_t> order;
  for (size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] > 0 && costs[i] >= least) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  return order;
}

// One of each list in turn, none twice; a list that stands there twice gives twice as many.
std::vector<size_t> in_turn(const std::vector<const std::vector<size_t>*>& lists, size_t entities, size_t most) {
  std::vector<size_t> merged;
  std::vector<bool> is_taken(entities);
  for (bool is_any_left = true; is_any_left && merged.size() < most;) {
    is_any_left = false;
    for (const std::vector<size_t>* list : lists) {
      const auto next = std::ranges::find_if(*list, [&](size_t entity) { return !is_taken[entity]; });
      if (next == list->end() || merged.size() >= most) continue;
      merged.push_back(*next);
      is_taken[*next] = is_any_left = true;
    }
  }
  return merged;
}

class Rows {
 public:
  Rows(const Profile& profile, size_t column, const CodeOrigins& code, const Costs& costs)
      : code_(code),
        costs_(costs),
        samples_(count_samples(profile, column)),
        below_own_(code.costliest_callees(profile, column, code.shown_as_own())),
        below_code_(code.costliest_callees(profile, column, std::max(code.shown_as_own(), Origin::Library))) {}

  void add(size_t entity) {
    const bool is_own = code_.is_own(id(entity));
    const double self = costs_.self[entity];
    BriefRow row = made(code_.attribution().entities()[entity], self, std::max(costs_.total[entity], self));
    row.charged = charged(std::max(is_own ? costs_.in_own[entity] : costs_.in_code[entity], self), code_.of(id(entity)));
    name_callee(is_own ? below_own_[entity] : below_code_[entity], row);
    rows_.push_back(std::move(row));
  }

  // What the runtime does where no other code is on the stack.
  void add_work(const std::string& name, double value) {
    Entity entity;
    entity.name = name;
    BriefRow row = made(std::move(entity), value, value);
    row.charged = charged(value, Origin::Runtime);
    rows_.push_back(std::move(row));
  }

  std::vector<BriefRow> take() { return std::move(rows_); }

 private:
  double percent(double value) const { return code_.sum() == 0 ? 0 : value / code_.sum() * 100; }
  Charged charged(double value, Origin origin) const { return {value, percent(value), origin}; }

  BriefRow made(Entity entity, double self, double total) const {
    const Interval interval = share_interval(percent(self) / 100, samples_);
    BriefRow row;
    static_cast<CostRow&>(row) = {.entity = std::move(entity),
                                  .self = self,
                                  .self_percent = percent(self),
                                  .total = total,
                                  .total_percent = percent(total),
                                  .ci95 = {interval.low * 100, interval.high * 100},
                                  .rank = rows_.size()};
    return row;
  }

  void name_callee(const CodeOrigins::Callee& callee, BriefRow& row) const {
    if (callee.value < kLeastCallee * code_.sum() || callee.value < kLeastOfCharged * row.charged.value) return;
    row.callee = code_.attribution().entities()[static_cast<size_t>(callee.entity)].name;
    row.callee_percent = percent(callee.value);
  }

  const CodeOrigins& code_;
  const Costs& costs_;
  SampleCount samples_;
  std::vector<CodeOrigins::Callee> below_own_;
  std::vector<CodeOrigins::Callee> below_code_;
  std::vector<BriefRow> rows_;
};

std::vector<TreeNode> tree_rows(const CallTree& tree, const CodeOrigins& code, const SampleCount& samples, size_t most) {
  const auto heaviest = heaviest_child_of(tree);
  const auto is_kept = [&](uint32_t node) {
    const CallNode& of = tree.nodes()[node];
    const bool only_passes_on = heaviest[node] >= kPassesOn * of.total && !code.is_own(of.entity);
    return of.total >= kLeastInTree * code.sum() && !only_passes_on;
  };
  return cut_tree(tree, code, samples, most, is_kept).rows;
}

}  // namespace

Brief brief(const Profile& profile, size_t column, const CodeOrigins& code, size_t most) {
  const CallTree tree(profile, column, code.attribution(), [&](EntityId entity) { return !code.is_runtime(entity); });
  const Costs costs = costs_of(profile, column, code, tree);
  const double sum = code.sum();

  const auto by_itself = ranking(costs.in_code, kLeastSelf * sum);
  const auto of_own = ranking(costs.in_own, kLeastSelf * sum);
  const auto holding = ranking(costs.holding, kLeastTotal * sum);
  auto works = code.runtime_works(profile, column);
  std::erase_if(works, [&](const auto& work) { return work.second < kLeastSelf * sum; });

  const size_t functions = most - std::min(works.size(), most / 4);
  const auto chosen = in_turn({&by_itself, &of_own, &holding, &by_itself, &holding}, costs.self.size(), functions);
  Rows rows(profile, column, code, costs);
  for (const size_t entity : chosen) rows.add(entity);
  for (const auto& [name, value] : works) rows.add_work(name, value);

  Brief result;
  result.rows = rows.take();
  // What costs something by itself, and what is shown although it does not.
  const auto costs_nothing = [&](size_t entity) { return costs.in_code[entity] == 0; };
  result.functions =
      ranking(costs.in_code, 0).size() + works.size() + static_cast<size_t>(std::ranges::count_if(chosen, costs_nothing));
  result.calls = tree_rows(tree, code, count_samples(profile, column), most);
  return result;
}

}  // namespace atys::reduce
