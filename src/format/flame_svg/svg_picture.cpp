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
        widths_(flame_widths(tree)),
        lefts_(tree.nodes.size(), -1),
        classes_(colour_classes(tree, widths_)) {}

  std::string draw() {
    top_ = picture_.losses.empty() ? 58 : 76;
    place();
    const double height = top_ + (deepest_ + 1) * kRowHeight + 30;
    std::string svg = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n<style>{3}</style>\n<rect class=\"bg\" width=\"100%\" "
        "height=\"100%\"/>\n",
        kWidth, height, escape_markup(picture_.title), style_sheet());
    svg += text_line("h", 26, picture_.title) + text_line("m", 46, picture_.facts);
    if (!picture_.losses.empty()) svg += text_line("w", 64, picture_.losses);
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
    frames_ += fmt::format(
        "<g{}><title>{}: total {} ({}), self {} ({}){}</title>", tree_.function(node).is_inlined ? " class=\"i\"" : "",
        escape_markup(shortened(name, kLongestName)), escape_markup(value_text(node.total, picture_.unit)),
        share_of_all(node.total), escape_markup(value_text(node.self, picture_.unit)), share_of_all(node.self),
        tree_.function(node).is_inlined ? ", inlined" : "");
    frames_ += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
                           is_root ? "cx" : classes_[profile::raw(node.function)], lefts_[i], y,
                           std::max(width - (width > 3 ? 0.7 : 0), 0.3), kRowHeight - 1);
    const auto room = static_cast<size_t>(std::max(0.0, (width - 8) / kCharacterWidth));
    if (room >= 3) {
      const std::string label = name.size() <= room ? std::string(name) : short_name(name);
      frames_ +=
          fmt::format("<text x=\"{:.2f}\" y=\"{}\">{}</text>", lefts_[i] + 4, y + 12, escape_markup(shortened(label, room)));
    }
    frames_ += "</g>\n";
  }

  std::string share_of_all(int64_t value) const {
    return share_text(static_cast<double>(value), static_cast<double>(tree_.nodes[0].total));
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
