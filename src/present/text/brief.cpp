// SPDX-License-Identifier: Apache-2.0
#include "present/text/brief.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "present/text/answers.h"
#include "present/text/numbers.h"

namespace atys::present::text {

namespace {

// Digits are a token each: as many as tell two rows apart.
std::string short_percent(double value) {
  if (value >= 9.95) return fmt::format("{:.0f}", value);
  if (value >= 0.095) return fmt::format("{:.1f}", value);
  return value > 0 ? "<0.1" : "0";
}

std::string mark(const reduce::PayingRow& row, const verbs::SummaryAnswer& answer) {
  const bool says_it_itself = row.entity.name.starts_with('[') && row.entity.module.empty();  // "[garbage collection]"
  if (row.charged.origin == answer.shares.level || says_it_itself) return "";
  return " [" + std::string(to_string(row.charged.origin)) + "]";
}

std::string most_of(const reduce::PayingRow& row) {
  return row.callee.empty() ? "" : ", " + short_percent(row.callee_percent) + " in " + name(row.callee, SIZE_MAX);
}

std::string row_line(const reduce::PayingRow& row, const verbs::SummaryAnswer& answer) {
  const std::string where = place(row.entity);
  return short_percent(row.charged.percent) + " " + short_percent(row.total_percent) + " " +
         name(row.entity.name, SIZE_MAX) + (where.empty() ? "" : " " + where) + mark(row, answer) + most_of(row);
}

// A node that does nothing but call the one below it shares its line.
bool is_joined_with_next(const std::vector<reduce::TreeNode>& rows, size_t i) {
  if (i + 1 >= rows.size() || rows[i + 1].depth != rows[i].depth + 1) return false;
  const bool has_sibling = [&] {
    for (size_t j = i + 2; j < rows.size() && rows[j].depth > rows[i].depth; ++j) {
      if (rows[j].depth == rows[i].depth + 1) return true;
    }
    return false;
  }();
  return !has_sibling && rows[i].recursion == 0 && rows[i + 1].total_percent >= 0.95 * rows[i].total_percent;
}

std::string calls(const std::vector<reduce::TreeNode>& nodes) {
  std::string text = "calls (total%):\n";
  size_t joined = 0;  // how many levels the current line has swallowed; lines below are that much less deep
  std::vector<size_t> swallowed;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const reduce::TreeNode& row = nodes[i];
    swallowed.resize(std::min(swallowed.size(), row.depth));
    const size_t above = swallowed.empty() ? 0 : swallowed.back();
    if (joined == 0)
      text += std::string(std::min<size_t>(row.depth - above, 40), ' ') + short_percent(row.total_percent) + " ";
    text += name(row.entity.name, SIZE_MAX);
    if (row.recursion > 0) text += " (recursive)";
    const bool joins = is_joined_with_next(nodes, i);
    joined = joins ? joined + 1 : 0;
    swallowed.push_back(above + (joins ? 1 : 0));
    text += joins ? " > " : "\n";
  }
  return text;
}

bool has_odd_name(const std::vector<std::string>& path) {
  return std::ranges::any_of(path, [](const std::string& text) { return is_odd_name(text); });
}

// What a row has beside its function.
bool is_rest_odd(const reduce::TableRow& /*row*/) { return false; }
bool is_rest_odd(const reduce::LineRow& row) { return !row.source.empty() || is_odd_name(row.callee); }
bool is_rest_odd(const reduce::RawStack& row) { return has_odd_name(row.path); }
bool is_rest_odd(const reduce::TreeNode& row) { return has_odd_name(row.path); }
bool is_rest_odd(const reduce::BriefRow& row) { return is_odd_name(row.callee); }

template <typename Row>
bool has_odd_row(const std::vector<Row>& rows) {
  return std::ranges::any_of(
      rows, [](const Row& row) { return is_odd_name(row.entity.name) || is_odd_name(row.entity.file) || is_rest_odd(row); });
}

}  // namespace

std::string brief(const reduce::BriefRows& brief, const verbs::SummaryAnswer& answer) {
  static constexpr size_t kRoomForWords = 400;
  std::string text;
  const verbs::CodeShares& shares = answer.shares;
  const bool is_all_own = shares.library + shares.runtime < 0.05;
  const bool has_room = !answer.tokens.cap || *answer.tokens.cap >= kRoomForWords;
  if (!is_all_own && has_room) {
    text += fmt::format("ends in own code {}%, libraries {}%, runtime {}%\n", short_percent(shares.own),
                        short_percent(shares.library), short_percent(shares.runtime));
  }
  text += is_all_own || !has_room ? "self% total% " : "self% (with the library and runtime code it calls) total% ";
  text += name(answer.by, 40) + "\n";
  for (const reduce::BriefRow& row : brief.rows) text += row_line(row, answer) + "\n";
  if (brief.calls.size() > 1) text += calls(brief.calls);
  return text;
}

bool is_tight(const verbs::SummaryAnswer& answer) {
  static constexpr size_t kRoomForColumns = 1500;
  return answer.tokens.cap && *answer.tokens.cap < kRoomForColumns;
}

std::string tight_table(const reduce::TableRows& table, const verbs::SummaryAnswer& answer) {
  std::string text = "self% total% " + name(answer.by, 40) + "\n";
  for (const reduce::TableRow& row : table.rows) {
    const std::string where = place(row.entity);
    text += short_percent(row.self_percent) + " " + short_percent(row.total_percent) + " " + name(row.entity.name, SIZE_MAX);
    text += (where.empty() ? "" : " " + where) + "\n";
  }
  return text;
}

std::string tight_lines(const reduce::LineRows& lines, const verbs::SummaryAnswer& answer) {
  std::string text = "self% (with what the line calls) total% line\n";
  for (const reduce::LineRow& row : lines.rows)
    text += row_line(row, answer) + (row.source.empty() ? "" : " | " + code(row.source)) + "\n";
  return text;
}

std::string phase_line(const reduce::PathRows& paths, size_t row) {
  const size_t number = paths.rows[row].phase;
  if (paths.phases.empty() || (row > 0 && paths.rows[row - 1].phase == number)) return {};
  const auto found = std::ranges::find(paths.phases, number, &reduce::HotPhase::number);
  if (found == paths.phases.end()) return "at unknown times:\n";
  return fmt::format("phase {}, {:.3g} to {:.3g} s, {}%:\n", number, found->from_seconds, found->to_seconds,
                     short_percent(found->percent));
}

std::string tight_paths(const reduce::PathRows& paths) {
  std::string text;
  for (size_t at = 0; at < paths.rows.size(); ++at) {
    const reduce::HotPath& row = paths.rows[at];
    text += phase_line(paths, at) + short_percent(row.total_percent) + "%";
    for (size_t i = 0; i < row.path.size(); ++i) text += (i == 0 ? " " : " > ") + name(row.path[i], SIZE_MAX);
    text += "\n";
  }
  return text;
}

std::string tight_tree(const reduce::TreeRows& tree) {
  std::string text = "total% self% function\n";
  for (const reduce::TreeNode& row : tree.rows) {
    text += std::string(std::min<size_t>(row.depth, 40), ' ') + short_percent(row.total_percent) + " " +
            short_percent(row.self_percent) + " " + name(row.entity.name, SIZE_MAX);
    text += row.recursion > 0 ? " (recursive)\n" : "\n";
  }
  return text;
}

bool needs_data_notice(const verbs::SummaryAnswer& answer) {
  const auto* brief = std::get_if<reduce::BriefRows>(&answer.rows);
  if (brief != nullptr && !answer.tokens.cap) return true;
  if (brief != nullptr && has_odd_row(brief->calls)) return true;
  return std::visit([](const auto& of_form) { return has_odd_row(of_form.rows); }, answer.rows);
}

}  // namespace atys::present::text
