// SPDX-License-Identifier: Apache-2.0
#include "verbs/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "adapt/run_phases.h"
#include "base/utf8.h"
#include "reduce/brief.h"
#include "reduce/code_origins.h"
#include "reduce/hot_paths.h"
#include "reduce/hot_tree.h"
#include "reduce/runtime_work.h"
#include "reduce/table_rows.h"
#include "verbs/view/detail.h"
#include "verbs/view/follow_up.h"
#include "verbs/view/own_code_rules.h"
#include "verbs/view/source_lines.h"

namespace atys::verbs {

using reduce::Form;
using reduce::Origin;

namespace {

CodeShares shares_of(const reduce::CodeOrigins& code) {
  const auto percent = [&](double value) { return code.sum() == 0 ? 0 : value / code.sum() * 100; };
  return {.own = percent(code.self_of(reduce::Origin::Own)),
          .library = percent(code.self_of(reduce::Origin::Library)),
          .runtime = percent(code.self_of(reduce::Origin::Runtime)),
          .outside = percent(code.outside()),
          .level = code.shown_as_own()};
}

std::optional<Costliest> costliest_of(const Profile& profile, size_t column, const reduce::CodeOrigins& code) {
  const auto charged = code.charged(profile, column, std::max(code.shown_as_own(), Origin::Library));
  const auto most = std::ranges::max_element(charged);
  if (most == charged.end() || *most <= 0 || code.sum() <= 0) return {};
  return Costliest{code.attribution().entities()[static_cast<size_t>(most - charged.begin())], *most / code.sum() * 100};
}

bool is_runtime_work(const reduce::BriefRow& row) {
  return row.charged.origin == Origin::Runtime && row.entity.name.starts_with('[') && row.entity.module.empty();
}

// What most of what passed through no code of the user's was; null: nothing stands out.
const reduce::BriefRow* most_outside(const SummaryAnswer& answer) {
  const auto* brief = std::get_if<reduce::BriefRows>(&answer.rows);
  if (brief == nullptr) return nullptr;
  const auto work = std::ranges::find_if(brief->rows, is_runtime_work);  // the first is the largest
  const bool is_most = work != brief->rows.end() && work->entity.name != reduce::kOtherRuntimeWork &&
                       work->total_percent > answer.shares.outside / 2;
  return is_most ? &*work : nullptr;
}

void add_remarks(SummaryAnswer& answer) {
  const bool is_about_own_code = answer.form() == Form::Tree || answer.form() == Form::Brief;
  if (!is_about_own_code || reduce::count_rows(answer.rows) == 0) return;
  if (answer.shares.level != Origin::Own) {
    answer.remarks.push_back(
        answer.shares.level == Origin::Library
            ? "no code of your own was seen: libraries stand for it (a pattern says what is: own)"
            : "no code of your own and no library was seen: all code is shown (a pattern says what is: own)");
  }
  if (answer.shares.outside < 0.5) return;
  const reduce::BriefRow* most = most_outside(answer);
  answer.remarks.push_back(fmt::format("{:.1f}% passed through no {}{}", answer.shares.outside,
                                       answer.shares.level == Origin::Own ? "code of your own" : "library either",
                                       most == nullptr ? "" : ", most of it " + most->entity.name));
}

// The rows of a form, all that there are or could be wanted; answer.omitted is what never became a row.
void add_rows(SummaryAnswer& answer, const ViewedProfile& viewed, const View& view, const reduce::Dimension& by,
              const reduce::CodeOrigins& code) {
  const Profile& profile = viewed.loaded.profile;
  const size_t column = viewed.column;
  switch (view.form) {
    case Form::Table: answer.rows = reduce::table_rows(profile, column, by, code); break;
    case Form::Lines: answer.rows = reduce::line_rows(profile, column, code); break;
    case Form::Raw: answer.rows = reduce::RawRows{reduce::hot_paths(profile, column, code)}; break;
    case Form::Paths:
      answer.rows = reduce::hot_paths_by_phase(profile, column, code, adapt::phases_of(profile, column, code));
      break;
    case Form::Tree: {
      reduce::HotTree found = reduce::hot_tree(profile, column, code, rows_wanted(view));
      answer.omitted.rows = found.nodes - found.rows.size();
      answer.rows = reduce::TreeRows{std::move(found.rows)};
      break;
    }
    case Form::Brief: {
      if (by.kind != reduce::DimensionKind::Function) {
        answer.rows = reduce::brief_rows(profile, column, by, code);
        break;
      }
      reduce::Brief found = reduce::brief(profile, column, code, rows_wanted(view));
      answer.omitted.rows = found.functions - std::min(found.functions, found.rows.size());
      answer.rows = reduce::BriefRows{std::move(found.rows), std::move(found.calls)};
      break;
    }
  }
}

// Which function to look at next: the first row's, and whether its lines are known.
const reduce::Entity* worth_a_look(const SummaryAnswer& answer) {
  if (answer.by != "function" && answer.by != "line") return nullptr;
  if (const auto* tree = std::get_if<reduce::TreeRows>(&answer.rows)) {
    const auto costly = std::ranges::find_if(tree->rows, [](const auto& row) { return row.self_percent > 0; });
    if (costly != tree->rows.end()) return &costly->entity;
    return tree->rows.empty() ? nullptr : &tree->rows.back().entity;
  }
  const reduce::CostRow* first = reduce::first_row(answer.rows);
  return first == nullptr ? nullptr : &first->entity;
}

std::vector<FollowUp> next_questions(const SummaryAnswer& answer, const View& view) {
  std::vector<FollowUp> next;
  // A profile that came through a pipe cannot be asked again; neither can one whose name no shell would take.
  if (answer.reference == "-" || printable(answer.reference) != answer.reference) return next;
  const auto ask = [&](Form form, const reduce::Entity* about) {
    View other = view;
    other.form = form;
    other.by = "function";
    other.top = {};
    other.full_names = false;
    if (about != nullptr) other.filter.focus = pattern_of_function(about->name);
    next.push_back({Question::Summary, {answer.reference}, std::move(other)});
  };
  if (const reduce::Entity* hottest = worth_a_look(answer)) {
    if (answer.form() != Form::Paths) ask(Form::Paths, hottest);
    if (!hottest->file.empty() && answer.form() != Form::Lines) ask(Form::Lines, hottest);
  }
  if (reduce::count_rows(answer.rows) == 0) {
    if (!view.filter.keeps_all()) next.push_back({Question::Summary, {answer.reference}});
    return next;
  }
  if (answer.form() != Form::Tree && answer.form() != Form::Brief) ask(Form::Tree, nullptr);
  if (answer.form() == Form::Tree || answer.form() == Form::Paths || answer.form() == Form::Lines) ask(Form::Table, nullptr);
  if (answer.form() == Form::Brief) ask(Form::Tree, nullptr);
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
  if (view.form == Form::Raw && !view.top && !view.max_tokens) view.top = SIZE_MAX;
  const reduce::Dimension by = TRY(reduce::parse_dimension(view.by));
  const reduce::CodeOrigins code(viewed.loaded.profile, viewed.column, TRY(own_code_of(view.own_code)));

  SummaryAnswer answer;
  answer.reference = reference;
  answer.profile = describe(viewed.loaded, viewed.column);
  const bool is_grouped = view.form == Form::Table || view.form == Form::Brief;
  answer.by = is_grouped ? reduce::to_string(by) : view.form == Form::Lines ? "line" : "function";
  answer.tokens = TRY(bounds_of(view));
  answer.full_names = view.full_names;
  answer.shares = shares_of(code);
  answer.costliest = costliest_of(viewed.loaded.profile, viewed.column, code);
  add_rows(answer, viewed, view, by, code);
  keep_rows(answer, rows_wanted(view));
  if (auto* lines = std::get_if<reduce::LineRows>(&answer.rows)) {
    const auto& header = viewed.loaded.profile.header;
    const size_t changed = add_source_lines(lines->rows, header.time_ns == 0 ? 0 : header.time_ns + header.duration_ns);
    if (changed > 0) answer.remarks.push_back(fmt::format("{} lines are of files changed since, not shown", changed));
  }
  add_remarks(answer);
  answer.next = next_questions(answer, view);
  return answer;
}

}  // namespace atys::verbs
