// SPDX-License-Identifier: Apache-2.0
#include "cli/top_view.h"

#include <algorithm>

#include "cli/raw_text.h"
#include "present/text/answers.h"

namespace atys::cli {

namespace {

constexpr size_t kLinesAboveRows = 2;  // what it is, and the heads of the columns

constexpr std::string_view kLegend = R"(
keys
  up, down, k, j        choose a function; the choice stays with it as rows move
  page up, page down    a screen further
  home, end, g, G       the first, the last
  Enter, right, l       who calls it
  Backspace, left, h    back to the table
  s                     sort by own time (self) or by all time (total)
  p, space              pause, and go on
  ?                     these keys
  q, Ctrl-C             quit
  Ctrl-Z                stop for now; fg goes on

columns
  self     time in the function itself    total    with what it calls
  * is what the table is sorted by

any key goes back
)"_text;

constexpr std::string_view kHint = "? keys   s sort   p pause   Enter callers   q quit";

bool is_same(const reduce::Entity& a, const reduce::Entity& b) {
  return a.name == b.name && a.file == b.file && a.module == b.module;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool needs_table(Key key) {
  return key != Key::Pause && key != Key::Sort && key != Key::Help && key != Key::Quit && key != Key::Other;
}

}  // namespace

void TopView::press(Key key) {
  if (key == Key::Quit) wants_to_quit_ = true;
  if (shows_legend_) {
    shows_legend_ = false;
    return;
  }
  if (!answer_ && needs_table(key))
    waiting_.push_back(key);
  else
    act(key);
}

void TopView::act(Key key) {
  switch (key) {
    case Key::Sort: by_total_ = !by_total_; break;
    case Key::Pause: is_paused_ = !is_paused_; break;
    case Key::Help: shows_legend_ = true; break;
    case Key::Back: function_.clear(); break;
    case Key::Enter:
      if (const auto& rows = reduce::table_of(answer_->summary.rows); function_.empty() && chosen_ < rows.size())
        function_ = rows[chosen_].entity.name;
      break;
    default: move(key);
  }
}

void TopView::move(Key key) {
  if (!answer_ || !function_.empty() || reduce::table_of(answer_->summary.rows).empty()) return;
  const size_t last = reduce::table_of(answer_->summary.rows).size() - 1;
  switch (key) {
    case Key::Up: return choose(chosen_ - std::min<size_t>(chosen_, 1));
    case Key::Down: return choose(std::min(chosen_ + 1, last));
    case Key::PageUp: return choose(chosen_ - std::min(chosen_, page_));
    case Key::PageDown: return choose(std::min(chosen_ + page_, last));
    case Key::First: return choose(0);
    case Key::Last: return choose(last);
    default: return;
  }
}

void TopView::choose(size_t row) {
  chosen_ = row;
  chosen_function_ = reduce::table_of(answer_->summary.rows)[row].entity;
}

void TopView::show(verbs::TopAnswer answer) {
  answer_ = std::move(answer);
  for (const Key key : std::exchange(waiting_, {})) act(key);
  const auto& rows = reduce::table_of(answer_->summary.rows);
  if (rows.empty()) return;
  chosen_ = std::min(chosen_, rows.size() - 1);
  if (!chosen_function_) return;
  // One that is not there now, for it did nothing, may be back in the next window: the place is kept, and the function.
  const auto found = std::ranges::find_if(rows, [&](const auto& row) { return is_same(row.entity, *chosen_function_); });
  if (found != rows.end()) chosen_ = static_cast<size_t>(found - rows.begin());
}

TopView::Drawing TopView::draw(size_t rows) const {
  if (shows_legend_) return {std::string(kLegend)};
  const std::string state = is_paused_ ? "paused; " : "";
  if (!answer_) return {state + "the first window …   " + std::string(kHint)};
  std::vector<std::string> lines = lines_of(state + present::text::render(*answer_));
  const size_t above = std::min(lines.size(), kLinesAboveRows);
  const size_t room = rows > above + 1 ? rows - above - 1 : 1;
  // The chosen row is on the screen, with some of what is below it.
  const size_t hidden = function_.empty() && chosen_ >= room ? chosen_ - room + 1 : 0;
  Drawing drawing;
  for (size_t i = 0; i < above; ++i) drawing.text += lines[i] + "\n";
  for (size_t i = 0; i < room; ++i)
    drawing.text += (above + hidden + i < lines.size() ? lines[above + hidden + i] : "") + "\n";
  drawing.text += kHint;
  if (function_.empty() && !reduce::table_of(answer_->summary.rows).empty()) drawing.marked = above + chosen_ - hidden;
  return drawing;
}

}  // namespace atys::cli
