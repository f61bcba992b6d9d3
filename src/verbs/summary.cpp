// SPDX-License-Identifier: Apache-2.0
#include "verbs/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "reduce/code_origins.h"
#include "reduce/runtime_work.h"
#include "reduce/top.h"
#include "verbs/brief.h"
#include "verbs/detail.h"
#include "verbs/follow_up.h"
#include "verbs/hot_paths.h"
#include "verbs/hot_tree.h"
#include "verbs/own_code_rules.h"
#include "verbs/source_lines.h"

namespace atys::verbs {

namespace {

std::vector<SummaryRow> table_rows(const ViewedProfile& viewed, const reduce::Dimension& by) {
  const reduce::Top top = reduce::top(viewed.loaded.profile, viewed.column, by);
  std::vector<SummaryRow> rows;
  for (const reduce::TopRow& row : top.rows) {
    const double scale = top.value_total == 0 ? 0 : 100 / top.value_total;
    rows.push_back({.entity = row.entity,
                    .self = row.self,
                    .self_percent = row.self * scale,
                    .total = row.total,
                    .total_percent = row.total * scale,
                    .ci95 = {row.self_share_ci95.low * 100, row.self_share_ci95.high * 100},
                    .charged = row.self,
                    .charged_percent = row.self * scale,
                    .rank = rows.size()});
  }
  return rows;
}

// Says whose code each function is, and what other code it has to answer for.
void charge(std::vector<SummaryRow>& rows, const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  const auto charged = code.charged(viewed.loaded.profile, viewed.column, code.shown_as_own());
  std::map<std::pair<std::string_view, std::string_view>, size_t> known;
  for (size_t i = 0; i < charged.size(); ++i) {
    const reduce::Entity& entity = code.attribution().entities()[i];
    known.try_emplace({entity.name, entity.file}, i);
  }
  for (SummaryRow& row : rows) {
    const auto found = known.find({row.entity.name, row.entity.file});
    if (found == known.end()) continue;
    const auto id = reduce::EntityId{static_cast<uint32_t>(found->second)};
    row.origin = to_string(code.of(id));
    if (!code.is_own(id)) continue;
    row.charged = charged[found->second];
    row.charged_percent = code.sum() == 0 ? 0 : row.charged / code.sum() * 100;
  }
}

CodeShares shares_of(const reduce::CodeOrigins& code) {
  const auto percent = [&](double value) { return code.sum() == 0 ? 0 : value / code.sum() * 100; };
  return {.own = percent(code.self_of(reduce::Origin::Own)),
          .library = percent(code.self_of(reduce::Origin::Library)),
          .runtime = percent(code.self_of(reduce::Origin::Runtime)),
          .outside = percent(code.outside()),
          .level = std::string(to_string(code.shown_as_own()))};
}

bool is_runtime_work(const SummaryRow& row) {
  return row.origin == "runtime" && row.entity.name.starts_with('[') && row.entity.module.empty();
}

void add_remarks(SummaryAnswer& answer) {
  const bool is_about_own_code = answer.form == "tree" || answer.form == "brief";
  if (!is_about_own_code) return;
  if (answer.shares.level != "own") {
    answer.remarks.push_back(
        answer.shares.level == "library"
            ? "no code of your own was seen: libraries stand for it (--own RE says what is yours)"
            : "no code of your own and no library was seen: all code is shown (--own RE says what is yours)");
  }
  if (answer.shares.outside < 0.5) return;
  const auto work = std::ranges::find_if(answer.rows, is_runtime_work);  // the first is the largest
  const bool is_most = work != answer.rows.end() && work->entity.name != reduce::kOtherRuntimeWork &&
                       work->total_percent > answer.shares.outside / 2;
  answer.remarks.push_back(fmt::format("{:.1f}% passed through no {}{}", answer.shares.outside,
                                       answer.shares.level == "own" ? "code of your own" : "library either",
                                       is_most ? ", most of it " + work->entity.name : ""));
}

// The rows of a form, all that there are or could be wanted; answer.omitted is what never became a row.
Result<> add_rows(SummaryAnswer& answer, const ViewedProfile& viewed, const View& view, const reduce::Dimension& by,
                  const reduce::CodeOrigins& code) {
  if (view.form == "table") {
    answer.rows = table_rows(viewed, by);
    if (by.kind == reduce::DimensionKind::Function) charge(answer.rows, viewed, code);
  } else if (view.form == "lines") {
    answer.rows = table_rows(viewed, {reduce::DimensionKind::Line, {}});
  } else if (view.form == "raw") {
    answer.rows = hot_paths(viewed, code);
  } else if (view.form == "paths") {
    PhasedPaths found = hot_paths_by_phase(viewed, code);
    answer.rows = std::move(found.rows);
    answer.phases = std::move(found.phases);
  } else if (view.form == "tree") {
    HotTree found = hot_tree(viewed, code, rows_wanted(view));
    answer.omitted.rows = found.nodes - found.rows.size();
    answer.rows = std::move(found.rows);
  } else if (view.form == "brief") {
    Brief found = brief(viewed, code, rows_wanted(view));
    answer.omitted.rows = found.functions - std::min(found.functions, found.rows.size());
    answer.rows = std::move(found.rows);
    answer.tree = std::move(found.tree);
  } else {
    return fail(ErrorCode::InvalidInput, "no such form '" + view.form + "'", "use table, paths, tree, lines, brief or raw");
  }
  return {};
}

// Which function to look at next: the first row's, and whether its lines are known.
const reduce::Entity* worth_a_look(const SummaryAnswer& answer) {
  for (const SummaryRow& row : answer.rows) {
    if (answer.by != "function" && answer.by != "line") return nullptr;
    if (answer.form != "tree" || row.self_percent > 0 || &row == &answer.rows.back()) return &row.entity;
  }
  return nullptr;
}

std::vector<std::string> next_questions(const SummaryAnswer& answer, const View& view) {
  std::vector<std::string> next;
  // A profile that came through a pipe cannot be asked again; neither can one whose name no shell would take.
  if (answer.reference == "-" || printable(answer.reference) != answer.reference) return next;
  const auto ask = [&](std::string form, const reduce::Entity* about) {
    View other = view;
    other.form = std::move(form);
    other.by = "function";
    other.top = {};
    other.full_names = false;
    if (about != nullptr) other.filter.focus = pattern_of_function(about->name);
    next.push_back(command_for("summary", {answer.reference}, other));
  };
  if (const reduce::Entity* hottest = worth_a_look(answer)) {
    if (answer.form != "paths") ask("paths", hottest);
    if (!hottest->file.empty() && answer.form != "lines") ask("lines", hottest);
  }
  if (answer.rows.empty()) {
    if (!view.filter.keeps_all()) next.push_back(command_for("summary", {answer.reference}, {}));
    return next;
  }
  if (answer.form != "tree" && answer.form != "brief") ask("tree", nullptr);
  if (answer.form == "tree" || answer.form == "paths" || answer.form == "lines") ask("table", nullptr);
  if (answer.form == "brief") ask("tree", nullptr);
  if (next.size() > 3) next.resize(3);
  return next;
}

}  // namespace

Result<SummaryAnswer> summary(const SummaryRequest& request) {
  const ViewedProfile viewed = TRY(open_view(request.profile, request.view));
  if (viewed.nothing) return *viewed.nothing;
  return summarize(viewed, request.profile, request.view);
}

Result<SummaryAnswer> summarize(const ViewedProfile& viewed, const std::string& reference, View view) {
  if (view.form == "raw" && !view.top && !view.max_tokens) view.top = SIZE_MAX;
  const reduce::Dimension by = TRY(reduce::parse_dimension(view.by));
  const reduce::CodeOrigins code(viewed.loaded.profile, viewed.column, TRY(own_code_of(view.own_code)));

  SummaryAnswer answer;
  answer.reference = reference;
  answer.profile = describe(viewed.loaded, viewed.column);
  answer.form = view.form;
  answer.by = view.form == "table" ? reduce::to_string(by) : view.form == "lines" ? "line" : "function";
  answer.tokens = TRY(bounds_of(view));
  answer.full_names = view.full_names;
  answer.shares = shares_of(code);
  TRY(add_rows(answer, viewed, view, by, code));
  keep_rows(answer, rows_wanted(view));
  if (view.form == "lines") {
    const auto& header = viewed.loaded.profile.header;
    const size_t changed = add_source_lines(answer.rows, header.time_ns == 0 ? 0 : header.time_ns + header.duration_ns);
    if (changed > 0) answer.remarks.push_back(fmt::format("{} lines are of files changed since, not shown", changed));
  }
  add_remarks(answer);
  answer.next = next_questions(answer, view);
  return answer;
}

}  // namespace atys::verbs
