// SPDX-License-Identifier: Apache-2.0
#include "format/flame_svg/svg_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/markup.h"
#include "base/utf8.h"
#include "format/flame_svg/svg_colours.h"
#include "reduce/function_text.h"
#include "reduce/value_text.h"

namespace atys::format::flame_svg {

using namespace reduce;

namespace {

constexpr double kWidth = 1200;
constexpr double kMargin = 10;
constexpr double kRowHeight = 17;
constexpr double kNarrowest = 0.5;       // a frame narrower than this is left out
constexpr double kCharacterWidth = 6.7;  // of the 11 px monospace font, rounded up
constexpr size_t kLongestName = 1000;    // in a tooltip

struct Narrow {
  int64_t count = 0;
  double width = 0;

  void add(double more) {
    ++count;
    width += more;
  }
};

class Drawing {
 public:
  Drawing(const FlameTree& tree, const Picture& picture)
      : tree_(tree),
        picture_(picture),
        widths_(picture.compared != nullptr ? picture.compared->widths : flame_widths(tree)),
        lefts_(tree.nodes.size(), -1) {
    if (picture.compared == nullptr) classes_ = colour_classes(tree, widths_);
  }

  std::string draw() {
    top_ = 58 + (picture_.losses.empty() ? 0 : 18) + (picture_.compared == nullptr ? 0 : 20);
    place();
    const double height = top_ + (deepest_ + 1) * kRowHeight + 30;
    std::string svg = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n<style>{3}</style>\n<rect class=\"bg\" width=\"100%\" "
        "height=\"100%\"/>\n",
        kWidth, height, escape_markup(picture_.title), style_sheet());
    svg += text_line("h", 26, picture_.title) + text_line("m", 46, picture_.facts);
    if (!picture_.losses.empty()) svg += text_line("w", 64, picture_.losses);
    if (picture_.compared != nullptr) svg += change_legend(top_ - 23);
    svg += frames_;
    svg += text_line("m", height - 12, footer());
    return svg + "</svg>\n";
  }

 private:
  static std::string text_line(std::string_view style, double y, std::string_view text) {
    return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, kMargin, y,
                       escape_markup(shortened(text, 160)));
  }

  std::string footer() const {
    if (left_out_ == 0) return fmt::format("{} frames", value_text(drawn_, "count"));
    return fmt::format("{} frames; {} more, each narrower than {} px, are left out", value_text(drawn_, "count"),
                       value_text(left_out_, "count"), kNarrowest);
  }

  // Nodes lie in preorder, so a parent's place is known before its children's.
  void place() {
    const double scale = widths_[0] > 0 ? (kWidth - 2 * kMargin) / widths_[0] : 0;
    std::vector<double> next(tree_.nodes.size(), 0);  // where the next child begins
    std::vector<Narrow> narrow(tree_.nodes.size());   // children of a drawn node that are too narrow
    lefts_[0] = next[0] = kMargin;
    draw_frame(0, kWidth - 2 * kMargin);
    for (uint32_t i = 1; i < tree_.nodes.size(); ++i) {
      const uint32_t parent = tree_.nodes[i].parent;
      const double width = widths_[i] * scale;
      if (lefts_[parent] < 0 || width < kNarrowest) {
        ++left_out_;
        if (lefts_[parent] >= 0) narrow[parent].add(width);
        continue;
      }
      lefts_[i] = next[i] = next[parent];
      next[parent] += width;
      draw_frame(i, width);
    }
    for (uint32_t i = 0; i < narrow.size(); ++i) {
      if (narrow[i].width >= kNarrowest) draw_narrow(tree_.nodes[i].depth + 1, next[i], narrow[i]);
    }
  }

  void draw_narrow(uint32_t depth, double left, const Narrow& narrow) {
    deepest_ = std::max(deepest_, depth);
    frames_ += fmt::format(
        "<g class=\"n\"><title>{} narrow frames</title><rect class=\"cx\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" "
        "height=\"{}\"/></g>\n",
        value_text(narrow.count, "count"), left, top_ + depth * kRowHeight, narrow.width, kRowHeight - 1);
  }

  void draw_frame(uint32_t i, double width) {
    const FlameNode& node = tree_.nodes[i];
    const bool is_root = node.parent == FlameNode::kNone;
    const std::string_view name = is_root ? "all" : tree_.name(node);
    const double y = top_ + node.depth * kRowHeight;
    deepest_ = std::max(deepest_, node.depth);
    ++drawn_;
    const bool is_inlined = tree_.function(node).is_inlined;
    frames_ += fmt::format("<g{}><title>{}: {}{}</title>", is_inlined ? " class=\"i\"" : "",
                           escape_markup(shortened(name, kLongestName)), escape_markup(values_text(i)),
                           is_inlined ? ", inlined" : "");
    frames_ += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>", class_of(i),
                           lefts_[i], y, std::max(width - (width > 3 ? 0.7 : 0), 0.3), kRowHeight - 1);
    const auto room = static_cast<size_t>(std::max(0.0, (width - 8) / kCharacterWidth));
    if (room >= 3) {
      const std::string label = name.size() <= room ? std::string(name) : short_name(name);
      frames_ +=
          fmt::format("<text x=\"{:.2f}\" y=\"{}\">{}</text>", lefts_[i] + 4, y + 12, escape_markup(shortened(label, room)));
    }
    frames_ += "</g>\n";
  }

  std::string_view class_of(uint32_t i) const {
    if (picture_.compared != nullptr) return change_class(picture_.compared->levels[i]);
    return tree_.nodes[i].parent == FlameNode::kNone ? "cx" : classes_[profile::raw(tree_.nodes[i].function)];
  }

  std::string values_text(uint32_t i) const {
    const FlameNode& node = tree_.nodes[i];
    if (picture_.compared == nullptr) {
      return fmt::format("total {}, self {}", measure(node.total, tree_.nodes[0].total),
                         measure(node.self, tree_.nodes[0].total));
    }
    const ComparedTree& both = *picture_.compared;
    return fmt::format("total before {}, after {}, {}; self before {}, after {}",
                       measure(both.base_total[i], both.base_total[0]), measure(both.new_total[i], both.new_total[0]),
                       change_text(both, i), measure(both.base_self[i], both.base_total[0]),
                       measure(both.new_self[i], both.new_total[0]));
  }

  std::string measure(int64_t value, int64_t whole) const {
    return value_text(value, picture_.unit) + " (" + share_text(static_cast<double>(value), static_cast<double>(whole)) +
           ")";
  }

  // "+1.20 s (+40%)" of values, "+4.0 points (+40%)" of shares.
  std::string change_text(const ComparedTree& both, uint32_t i) const {
    const auto share = [](int64_t part, int64_t whole) {
      return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    const double before =
        both.is_absolute ? static_cast<double>(both.base_total[i]) : share(both.base_total[i], both.base_total[0]);
    const double after =
        both.is_absolute ? static_cast<double>(both.new_total[i]) : share(both.new_total[i], both.new_total[0]);
    if (before == after) return "no change";
    const auto difference =
        static_cast<int64_t>(static_cast<uint64_t>(both.new_total[i]) - static_cast<uint64_t>(both.base_total[i]));
    std::string text = both.is_absolute ? (difference > 0 ? "+" : "") + value_text(difference, picture_.unit)
                                        : fmt::format("{:+.2f} points", (after - before) * 100);
    if (before == 0) return text + (after == 0 ? "" : " (new)");
    if (after == 0) return text + " (gone)";
    text += fmt::format(" ({:+.1f}%)", (after / before - 1) * 100);
    return both.levels[i] == 0 ? text + ", no more than chance explains" : text;
  }

  static std::string change_legend(double y) {
    static constexpr std::pair<int, std::string_view> kSteps[] = {
        {-4, "gone"},       {-3, "half or less"}, {-2, "-20% to -50%"}, {-1, "-5% to -20%"}, {0, "same, or chance"},
        {1, "+5% to +25%"}, {2, "+25% to +100%"}, {3, "twice or more"}, {4, "new"}};
    std::string legend;
    double x = kMargin;
    for (const auto& [level, label] : kSteps) {
      legend += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"12\" height=\"12\"/><text class=\"m\" x=\"{:.1f}\" "
          "y=\"{}\">{}</text>\n",
          change_class(level), x, y, x + 17, y + 10, label);
      x += 32 + static_cast<double>(label.size()) * 6.6;
    }
    return legend;
  }

  // At most `most` characters, the last an ellipsis if some were cut. Never inside a character.
  static std::string shortened(std::string_view text, size_t most) {
    std::string shown = printable(text.substr(0, most * 4 + 4));
    size_t characters = 0;
    size_t cut = 0;
    for (size_t i = 0; i < shown.size(); ++i) {
      if ((shown[i] & 0xc0) == 0x80) continue;
      if (++characters == most) cut = i;
    }
    if (characters <= most && text.size() <= most * 4 + 4) return shown;
    return shown.substr(0, cut) + "…";
  }

  const FlameTree& tree_;
  const Picture& picture_;
  std::vector<double> widths_;
  std::vector<double> lefts_;  // -1: not drawn
  std::vector<std::string_view> classes_;
  std::string frames_;
  double top_ = 0;
  uint32_t deepest_ = 0;
  int64_t drawn_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace

std::string draw_svg(const FlameTree& tree, const Picture& picture) { return Drawing(tree, picture).draw(); }

}  // namespace atys::format::flame_svg
