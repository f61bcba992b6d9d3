// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/detail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "reduce/function_text.h"
#include "verbs/view/distinct_names.h"

namespace atys::verbs {

using reduce::Form;
using reduce::Origin;

namespace {

constexpr std::string_view kCut = "…";
constexpr size_t kMostGroups = 3;
constexpr size_t kRowsBeforeCalls = 4;

size_t back_to_character(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

bool shorten(std::string& text, size_t most_bytes) {
  if (text.size() <= most_bytes) return false;
  text = shorten_middle(text, most_bytes);
  return true;
}

// Without its package, its templates and its parameters a name still tells the function; cut in the middle it may not.
bool shorten_name(std::string& name, size_t most_bytes) {
  if (name.size() <= most_bytes) return false;
  std::string less = reduce::short_name(name);
  // "::fmt" is what is left of "<T as core::fmt::Display>::fmt".
  if (!less.empty() && !less.starts_with("::") && less.size() < name.size()) name = std::move(less);
  shorten(name, most_bytes);
  return true;
}

// The end of a path says most: the file, and the folders next to it.
void shorten_place(std::string& path, size_t most_bytes) {
  if (path.size() <= most_bytes) return;
  if (most_bytes == 0) return path.clear();
  const size_t tail = back_to_character(path, path.size() - most_bytes);
  const size_t slash = path.find('/', tail);
  path = std::string(kCut) + path.substr(slash == std::string::npos ? tail : slash);
}

bool shorten(reduce::Entity& entity, const Detail& detail) {
  const bool is_file = entity.name == entity.file;
  const bool is_shorter = is_file ? shorten(entity.name, detail.name_bytes) : shorten_name(entity.name, detail.name_bytes);
  shorten_place(entity.file, is_file ? detail.name_bytes : detail.place_bytes);
  shorten_place(entity.module, detail.place_bytes);
  return is_shorter;
}

// Keeps the leaf, the root and, of what is between, the user's own functions nearest to the leaf, where `origins` tells
// them.
bool fold_path(std::vector<std::string>& path, std::span<const Origin> origins, size_t most) {
  const size_t size = path.size();
  if (size <= most) return false;
  std::vector<bool> is_kept(size);
  size_t kept = 0;
  const auto keep = [&](size_t i) {
    if (kept < most && !is_kept[i]) {
      is_kept[i] = true;
      ++kept;
    }
  };
  keep(size - 1);
  for (size_t i = size; i-- > 0;) {
    if (i < origins.size() && origins[i] == Origin::Own && kept + 1 < most) keep(i);
  }
  keep(0);
  for (size_t i = size; i-- > 0;) keep(i);

  std::vector<std::string> kept_names;
  size_t folded = 0;
  for (size_t i = 0; i <= size; ++i) {
    if (i < size && !is_kept[i]) {
      ++folded;
      continue;
    }
    if (folded > 0) kept_names.push_back(fmt::format("({} more)", folded));
    folded = 0;
    if (i < size) kept_names.push_back(std::move(path[i]));
  }
  path = std::move(kept_names);
  return true;
}

bool shorten_path(std::vector<std::string>& path, std::span<const Origin> origins, const Detail& detail) {
  bool is_shorter = fold_path(path, origins, detail.path_names);
  for (std::string& name : path) is_shorter |= shorten_name(name, detail.name_bytes);
  return is_shorter;
}

// What a row has beside its function.
bool shorten_rest(reduce::TableRow& /*row*/, const Detail& /*detail*/) { return false; }
bool shorten_rest(reduce::RawStack& row, const Detail& detail) { return shorten_path(row.path, row.origins, detail); }
bool shorten_rest(reduce::TreeNode& row, const Detail& detail) { return shorten_path(row.path, {}, detail); }
bool shorten_rest(reduce::PayingRow& row, const Detail& detail) { return shorten_name(row.callee, detail.name_bytes); }
bool shorten_rest(reduce::LineRow& row, const Detail& detail) {
  shorten(row.source, std::max<size_t>(detail.name_bytes, 40));
  return shorten_rest(static_cast<reduce::PayingRow&>(row), detail);
}

template <std::derived_from<reduce::CostRow> Row>
void shorten(Row& row, const Detail& detail) {
  row.is_shortened |= shorten(row.entity, detail);
  row.is_shortened |= shorten_rest(row, detail);
}

void shorten(reduce::DiffRow& row, const Detail& detail) {
  shorten(row.entity, detail);
  shorten_name(row.base_name, detail.name_bytes);
  shorten_place(row.base_file, detail.place_bytes);
}

// Shortens rows of an answer whose names stand beside each other.
template <typename Rows>
void shorten_rows(Rows& rows, const Detail& detail) {
  std::vector<ShortName> names;
  for (auto& row : rows) {
    names.push_back({&row.entity.name, row.entity.name});
    shorten(row, detail);
  }
  keep_apart(names, detail.name_bytes);
}

// Adds rows to what is omitted, by the package that they belong to.
class Omission {
 public:
  explicit Omission(Omitted& omitted) : omitted_(omitted) {}

  void add(const reduce::Entity& entity, double percent) {
    omitted_.rows += 1;
    omitted_.percent += percent;
    const std::string package = reduce::package_of(entity.name, entity.file, entity.module);
    auto& [rows, of_group] = groups_[package];
    rows += 1;
    of_group += percent;
  }

  void finish() {
    for (const auto& [name, group] : groups_) {
      const auto found = std::ranges::find(omitted_.groups, name, &OmittedGroup::name);
      if (found == omitted_.groups.end()) {
        omitted_.groups.push_back({name, group.first, group.second});
      } else {
        found->rows += group.first;
        found->percent += group.second;
      }
    }
    std::ranges::stable_sort(omitted_.groups, [](const auto& a, const auto& b) { return a.percent > b.percent; });
  }

 private:
  Omitted& omitted_;
  std::map<std::string, std::pair<size_t, double>> groups_;
};

// Only groups that say something are shown: with a name, of a percent or more.
void name_groups(Omitted& omitted, const Detail& detail) {
  std::erase_if(omitted.groups, [](const OmittedGroup& group) { return group.name.empty() || group.percent < 1; });
  if (omitted.groups.size() > kMostGroups || !detail.remarks) omitted.groups.resize(detail.remarks ? kMostGroups : 0);
  for (OmittedGroup& group : omitted.groups) shorten(group.name, std::min<size_t>(detail.name_bytes, 40));
}

// What the heading says: bounded like the rows, the first losses are the largest or the earliest.
void shorten(ProfileInfo& profile, const Detail& detail) {
  if (detail.name_bytes == SIZE_MAX) return;
  static constexpr size_t kMostLosses = 4;
  for (std::string* text : {&profile.name, &profile.kind, &profile.unit}) shorten(*text, detail.name_bytes);
  for (std::string& target : profile.targets) shorten(target, detail.name_bytes);
  if (profile.targets.size() > 1 && !detail.remarks) profile.targets.resize(1);
  if (profile.loss.size() > kMostLosses) profile.loss.resize(kMostLosses);
  if (!detail.remarks && profile.loss.size() > 1) profile.loss.resize(1);
  for (LossInfo& loss : profile.loss) shorten(loss.reason, detail.name_bytes);
}

// How functions were matched: the places of most of them; where there is little room, only how many.
void shorten(reduce::MatchReport& matching, const Detail& detail) {
  static constexpr size_t kMostPlaces = 20;
  const size_t most = detail.name_bytes == SIZE_MAX ? kMostPlaces : detail.remarks ? 2 : 0;
  for (auto* places : {&matching.folders, &matching.files}) {
    if (places->size() > most) places->resize(most);
    for (reduce::MatchedPlaces& place : *places) {
      shorten_place(place.base, std::max<size_t>(detail.place_bytes, 24));
      shorten_place(place.fresh, std::max<size_t>(detail.place_bytes, 24));
    }
  }
}

// In percent of all: of the work where that is what rows are about, else of the shares.
double changed_percent(const reduce::DiffRow& row, bool has_work, const reduce::Change& total) {
  if (!has_work) return std::abs(row.delta) * 100;
  return total.base == 0 ? 0 : std::abs(row.work.delta) / total.base * 100;
}

void cut_next(std::vector<FollowUp>& next, size_t most) {
  if (next.size() > most) next.resize(most);
}

}  // namespace

std::string shorten_middle(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  const size_t kept = most_bytes > kCut.size() ? most_bytes - kCut.size() : 0;
  // What tells most is at the end of package.Class.method, and at the beginning of ns::function(arguments).
  const bool has_arguments = text.find_first_of("(<") != std::string_view::npos;
  const size_t of_head = has_arguments ? kept * 2 / 3 : kept / 3;
  const size_t head = back_to_character(text, of_head);
  // A cut in the tail goes on to the next character, so that the result is no longer than asked for.
  size_t tail = text.size() - (kept - of_head);
  while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xc0) == 0x80) ++tail;
  return std::string(text.substr(0, head)).append(kCut).append(text.substr(tail));
}

double covered_percent(const SummaryAnswer& answer) {
  double percent = 0;
  if (const auto* lines = std::get_if<reduce::LineRows>(&answer.rows)) {
    for (const reduce::LineRow& row : lines->rows) percent += row.charged.percent;
    return percent;
  }
  if (const auto* brief = std::get_if<reduce::BriefRows>(&answer.rows)) {
    if (answer.by != "function") {
      for (const reduce::BriefRow& row : brief->rows) percent += row.charged.percent;
      return percent;
    }
    // Self time charged to the user's code adds up; that of libraries' functions is in it already.
    for (const reduce::BriefRow& row : brief->rows)
      if (row.charged.origin == answer.shares.level || answer.shares.level != Origin::Own) percent += row.charged.percent;
    return percent;
  }
  const auto add = [&](const auto& of_form) {
    for (const reduce::CostRow& row : of_form.rows) percent += row.self_percent;
  };
  std::visit(add, answer.rows);
  return percent;
}

double changed_percent(const reduce::DiffRow& row, const DiffAnswer& answer) {
  return changed_percent(row, answer.has_work, answer.total_work);
}

double changed_percent(const reduce::DiffRow& row, const CompareAnswer& answer) {
  return changed_percent(row, true, answer.functions.total_work);
}

double covered_percent(const DiffAnswer& answer) {
  double percent = 0;
  for (const reduce::DiffRow& row : answer.rows) percent += changed_percent(row, answer);
  return percent;
}

double covered_percent(const CompareAnswer& answer) {
  double percent = 0;
  for (const reduce::DiffRow& row : answer.functions.rows) percent += changed_percent(row, answer);
  return percent;
}

double covered_percent(const LinkAnswer& answer) { return covered_percent(answer.spent); }

namespace {

// Without phases that no row is left of.
void keep_phases(reduce::PathRows& paths) {
  std::erase_if(paths.phases, [&](const reduce::HotPhase& phase) {
    return std::ranges::find(paths.rows, phase.number, &reduce::HotPath::phase) == paths.rows.end();
  });
}

}  // namespace

void keep_rows(SummaryAnswer& answer, size_t rows) {
  Omission omission(answer.omitted);
  const auto keep = [&](auto& of_form) {
    std::erase_if(of_form.rows, [&](const reduce::CostRow& row) {
      if (row.rank < rows) return false;
      omission.add(row.entity, row.self_percent);
      return true;
    });
  };
  std::visit(keep, answer.rows);
  omission.finish();
  if (auto* paths = std::get_if<reduce::PathRows>(&answer.rows)) keep_phases(*paths);
  // Where there is little room, functions tell more than the calls that lead to them.
  if (auto* brief = std::get_if<reduce::BriefRows>(&answer.rows))
    std::erase_if(brief->calls, [&](const reduce::TreeNode& call) { return call.rank + kRowsBeforeCalls >= rows; });
  const bool is_charged = answer.form() == Form::Tree || answer.form() == Form::Brief || answer.form() == Form::Lines;
  if (is_charged) answer.omitted.percent = 100 - covered_percent(answer);
  if (std::abs(answer.omitted.percent) < 1e-9) answer.omitted.percent = 0;
}

size_t all_rows(const SummaryAnswer& answer) {
  const auto* brief = std::get_if<reduce::BriefRows>(&answer.rows);
  const size_t calls = brief == nullptr ? 0 : brief->calls.size();
  return std::max(reduce::count_rows(answer.rows), calls == 0 ? 0 : calls + kRowsBeforeCalls);
}

SummaryAnswer in_detail(const SummaryAnswer& answer, const Detail& detail) {
  SummaryAnswer result = answer;
  keep_rows(result, detail.rows);
  std::visit([&](auto& of_form) { shorten_rows(of_form.rows, detail); }, result.rows);
  if (auto* brief = std::get_if<reduce::BriefRows>(&result.rows)) shorten_rows(brief->calls, detail);
  name_groups(result.omitted, detail);
  shorten(result.profile, detail);
  if (result.costliest) shorten(result.costliest->entity, detail);
  cut_next(result.next, detail.next);
  if (!detail.remarks) result.remarks.clear();
  return result;
}

DiffAnswer in_detail(const DiffAnswer& answer, const Detail& detail) {
  DiffAnswer result = answer;
  Omission omission(result.omitted);
  for (size_t i = detail.rows; i < result.rows.size(); ++i)
    omission.add(result.rows[i].entity, changed_percent(result.rows[i], answer));
  omission.finish();
  if (detail.rows < result.rows.size()) result.rows.resize(detail.rows);
  shorten_rows(result.rows, detail);
  shorten(result.matching, detail);
  name_groups(result.omitted, detail);
  shorten(result.base, detail);
  shorten(result.fresh, detail);
  cut_next(result.next, detail.next);
  return result;
}

CompareAnswer in_detail(const CompareAnswer& answer, const Detail& detail) {
  CompareAnswer result = answer;
  std::vector<reduce::DiffRow>& rows = result.functions.rows;
  for (size_t i = detail.rows; i < rows.size(); ++i) {
    result.omitted.rows += 1;
    result.omitted.percent += changed_percent(rows[i], answer);
  }
  if (detail.rows < rows.size()) rows.resize(detail.rows);
  shorten_rows(rows, detail);
  shorten(result.matching, detail);
  if (!detail.remarks) result.headroom.clear();
  for (Headroom& row : result.headroom) shorten(row.entity, detail);
  for (TimedSide* side : {&result.a, &result.b}) {
    shorten(side->command, std::max<size_t>(detail.name_bytes, 24));
    shorten(side->error, std::max<size_t>(detail.name_bytes, 24));
  }
  cut_next(result.next, detail.next);
  return result;
}

// What it was spent on and how it divides have about the same room.
LinkAnswer in_detail(const LinkAnswer& answer, const Detail& detail) {
  LinkAnswer result = answer;
  result.spent = in_detail(answer.spent, detail);
  result.groups = in_detail(answer.groups, detail);
  shorten(result.profile, detail);
  shorten(result.asked, std::max<size_t>(detail.name_bytes, 48));
  cut_next(result.next, detail.next);
  return result;
}

}  // namespace atys::verbs
