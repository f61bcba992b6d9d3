// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff.h"

#include <algorithm>
#include <cmath>

#include "reduce/form_top.h"
#include "verbs/comparison/compared_runs.h"
#include "verbs/profiles/profile_reference.h"
#include "verbs/view/detail.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/own_code_rules.h"

namespace atys::verbs {

using reduce::Form;

namespace {

constexpr double kPracticalPercent = 2;
constexpr size_t kMostRuns = 1000;

// Of both profiles the paths through what changed most; for forms whose rows are not functions, the functions that changed.
std::vector<FollowUp> next_questions(const DiffAnswer& answer, View view, const std::vector<reduce::PathMap>& maps) {
  if (answer.base_reference == "-" || answer.fresh_reference == "-" || answer.rows.empty()) return {};
  const bool is_grouped = answer.form == Form::Table || answer.form == Form::Brief;
  const bool is_of_functions = is_grouped ? answer.by == "function" : answer.form == Form::Lines;
  view.form = is_of_functions ? Form::Paths : Form::Brief;
  view.by = "function";
  view.top = {};
  view.full_names = false;
  if (!is_of_functions) return {{Question::Diff, {answer.base_reference, answer.fresh_reference}, view, maps}};
  const reduce::DiffRow& first = answer.rows.front();
  std::vector<FollowUp> next;
  view.filter.focus = pattern_of_function(first.entity.name);
  if (first.fresh != 0) next.push_back({Question::Summary, {answer.fresh_reference}, view});
  view.filter.focus = pattern_of_function(first.base_name.empty() ? first.entity.name : first.base_name);
  if (first.base != 0) next.push_back({Question::Summary, {answer.base_reference}, view});
  return next;
}

// The runs of one side, reduced to what is compared.
struct SideOfDiff {
  std::vector<std::string> references;
  std::vector<reduce::Top> tops;
  std::vector<double> work;
  std::vector<std::string> names;
  ProfileInfo info;
  std::optional<Error> nothing = {};  // of what was asked for, in any run
};

void add_info(const ProfileInfo& run, ProfileInfo& all) {
  all.samples += run.samples;
  all.effective_samples += run.effective_samples;
  all.is_count_known = all.is_count_known && run.is_count_known;
  all.total += run.total;
  all.duration_ns += run.duration_ns;
  for (const std::string& target : run.targets)
    if (std::ranges::find(all.targets, target) == all.targets.end()) all.targets.push_back(target);
  for (const LossInfo& loss : run.loss) {
    const auto same = std::ranges::find(all.loss, loss.reason, &LossInfo::reason);
    if (same == all.loss.end())
      all.loss.push_back(loss);
    else
      same->count += loss.count;
  }
}

Result<> check_same(const ProfileInfo& a, const ProfileInfo& b) {
  if (a.unit == b.unit && a.kind == b.kind) return {};
  return fail(ErrorCode::InvalidInput, "cannot compare " + a.kind + "/" + a.unit + " with " + b.kind + "/" + b.unit,
              "choose a value type that both have with --value");
}

Result<std::vector<std::string>> references_of(const std::string& first, const std::vector<std::string>& more) {
  std::vector<std::string> references = split_references(first);
  for (const std::string& text : more)
    for (std::string& reference : split_references(text)) references.push_back(std::move(reference));
  if (references.empty())
    return fail(ErrorCode::InvalidInput, "no profile to compare", "atys diff BASE NEW, or --base FILE… --new FILE…");
  if (references.size() > kMostRuns)
    return fail(ErrorCode::ResourceExhausted, "more than 1000 runs on one side", "merge some of them first");
  return references;
}

Result<> open_side(SideOfDiff& side, const View& view, reduce::Side which, ComparedRuns& runs) {
  for (const std::string& reference : side.references) TRY(runs.add(reference, view, which));
  return {};
}

Result<> reduce_side(SideOfDiff& side, const DiffRequest& request, const reduce::Dimension& by, const WorkUnit& unit,
                     const reduce::OwnCode& own_code, reduce::Side which, ComparedRuns& runs) {
  const double count = which == reduce::Side::Base ? unit.base_count : unit.fresh_count;
  for (size_t i = 0; i < runs.size(which); ++i) {
    const ViewedProfile viewed = TRY(runs.take(i, request.view, which));
    const ProfileInfo info = describe(viewed.loaded, viewed.column);
    side.nothing = side.tops.empty() || side.nothing ? viewed.nothing : std::nullopt;
    side.tops.push_back(reduce::top_in_form(viewed.loaded.profile, viewed.column, request.view.form, by, own_code));
    side.work.push_back(TRY(unit.in(viewed.loaded.profile, count, info.name)));
    side.names.push_back(info.name);
    if (side.names.size() == 1) {
      side.info = info;
    } else {
      TRY(check_same(side.info, info));
      add_info(info, side.info);
    }
  }
  return {};
}

void conclude(const reduce::Diff& difference, size_t fewest_runs, DiffAnswer& answer) {
  answer.verdict = difference.verdict;
  answer.has_significant_change = difference.has_significant_change;
  answer.distance = difference.distance;
  answer.has_work = difference.has_work;
  answer.total_work = difference.total_work;
  answer.total = difference.total;
  answer.has_total_change = difference.has_total_change;
  answer.significant_rows = difference.significant_rows;
  answer.tested_rows = difference.tested;
  answer.is_known = difference.is_known;
  answer.resolution_percent = difference.resolution * 100;
  answer.times_more_needed = difference.times_more_needed;
  answer.is_run_noise_known = difference.is_of_runs;
  if (difference.times_more_needed > 1 && difference.is_of_runs) {
    const double more = std::ceil(static_cast<double>(fewest_runs) * (difference.times_more_needed - 1));
    answer.more_runs_needed = static_cast<size_t>(std::clamp(more, 1.0, 1e6));
  }
}

}  // namespace

std::string work_unit_of(const DiffAnswer& answer) { return answer.base.unit + "/" + answer.per; }

Result<DiffAnswer> diff(const DiffRequest& request) {
  const reduce::Dimension by = TRY(reduce::dimension_of(request.view.form, request.view.by));
  const Tokens bounds = TRY(bounds_of(request.view));
  const WorkUnit unit = TRY(WorkUnit::parse(request.per));
  SideOfDiff base{.references = TRY(references_of(request.base, request.more_base))};
  SideOfDiff fresh{.references = TRY(references_of(request.fresh, request.more_fresh))};
  ComparedRuns runs(request.maps);
  TRY(open_side(base, request.view, reduce::Side::Base, runs));
  TRY(open_side(fresh, request.view, reduce::Side::Fresh, runs));
  runs.settle();
  reduce::OwnCode own_code = TRY(own_code_of(request.view.own_code));
  runs.add_other_places(own_code);
  TRY(reduce_side(base, request, by, unit, own_code, reduce::Side::Base, runs));
  TRY(reduce_side(fresh, request, by, unit, own_code, reduce::Side::Fresh, runs));
  // What one side has alone is a change.
  if (base.nothing && fresh.nothing) return *base.nothing;
  TRY(check_same(base.info, fresh.info));
  reduce::DiffOptions options{.measure = request.measure, .base_work = {}, .fresh_work = {}};
  options.least_difference = kPracticalPercent / 100;
  if (unit.kind != WorkUnit::Kind::Share) {
    options.base_work = base.work;
    options.fresh_work = fresh.work;
  }
  reduce::Diff difference = reduce::diff(base.tops, fresh.tops, options);
  std::ranges::stable_sort(difference.rows, [](const auto& a, const auto& b) { return a.significant > b.significant; });

  DiffAnswer answer;
  answer.base_reference = base.references.front();
  answer.fresh_reference = fresh.references.front();
  answer.base = std::move(base.info);
  answer.fresh = std::move(fresh.info);
  answer.base_runs = std::move(base.names);
  answer.fresh_runs = std::move(fresh.names);
  answer.form = request.view.form;
  answer.by = reduce::to_string(by);
  answer.measure = request.measure;
  answer.per = unit.name;
  conclude(difference, std::min(base.tops.size(), fresh.tops.size()), answer);
  answer.rows = std::move(difference.rows);
  answer.tokens = bounds;
  const size_t kept = std::min(answer.rows.size(), rows_wanted(request.view));
  for (size_t i = kept; i < answer.rows.size(); ++i) answer.omitted.percent += changed_percent(answer.rows[i], answer);
  answer.omitted.rows = answer.rows.size() - kept;
  answer.rows.resize(kept);
  runs.add_base_names(answer.rows);
  answer.matching = runs.report();
  answer.next = next_questions(answer, request.view, request.maps);
  return answer;
}

}  // namespace atys::verbs
