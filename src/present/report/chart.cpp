// SPDX-License-Identifier: Apache-2.0
#include "present/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/markup.h"

namespace atys::present::report {

namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 300;
constexpr double kLeft = 56;
constexpr double kRight = 16;
constexpr double kTop = 28;
constexpr double kBottom = 44;
constexpr int kTicks = 5;

struct Range {
  double low = 0;
  double high = 1;
  double step = 0.2;

  // From one round number to another, with some round numbers between them.
  static Range around(double low, double high) {
    if (!(high > low)) high = low + 1;
    const double about = (high - low) / kTicks;
    const double power = std::pow(10, std::floor(std::log10(about)));
    const double step = about / power > 5   ? 10 * power
                        : about / power > 2 ? 5 * power
                        : about / power > 1 ? 2 * power
                                            : power;
    return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
  }
  double part(double value) const { return (value - low) / (high - low); }
  int ticks() const { return static_cast<int>(std::lround((high - low) / step)); }
  double tick(int number) const { return low + step * number; }
};

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
    double low_x = INFINITY, high_x = -INFINITY, low_y = 0, high_y = chart.level;
    for (const ChartLine& line : chart.lines)
      for (const auto& [x, y] : line.points) {
        low_x = std::min(low_x, x), high_x = std::max(high_x, x);
        low_y = std::min(low_y, y), high_y = std::max(high_y, y);
      }
    if (high_x >= low_x) x_ = Range::around(low_x, high_x);
    y_ = Range::around(low_y, high_y);
  }

  std::string svg() {
    out_ = fmt::format(R"(<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth, kHeight,
                       escape_markup(chart_.title));
    text(kLeft, 16, "title", chart_.title, "start");
    axes();
    for (size_t i = 0; i < chart_.lines.size(); ++i) line(chart_.lines[i], i);
    if (chart_.level > 0) level();
    return out_ + "</svg>";
  }

 private:
  double x(double value) const { return kLeft + x_.part(value) * (kWidth - kLeft - kRight); }
  double y(double value) const { return kHeight - kBottom - y_.part(value) * (kHeight - kTop - kBottom); }

  void text(double at_x, double at_y, std::string_view kind, const std::string& what, std::string_view anchor) {
    out_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" class="{}" text-anchor="{}">{}</text>)", at_x, at_y, kind, anchor,
                        escape_markup(what));
  }

  void axes() {
    for (int i = 0; i <= y_.ticks(); ++i) {
      out_ += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}H{}"/>)", kLeft, y(y_.tick(i)), kWidth - kRight);
      text(kLeft - 6, y(y_.tick(i)) + 4, "tick", fmt::format("{:.3g}", y_.tick(i)), "end");
    }
    for (int i = 0; i <= x_.ticks(); ++i)
      text(x(x_.tick(i)), kHeight - kBottom + 16, "tick", fmt::format("{:.4g}", x_.tick(i)), "middle");
    text((kLeft + kWidth - kRight) / 2, kHeight - 8, "tick", chart_.x_title, "middle");
    text(kWidth - kRight, 16, "tick", chart_.y_title, "end");
  }

  void line(const ChartLine& line, size_t number) {
    std::string path;
    for (const auto& [at_x, at_y] : line.points)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(at_x), y(std::clamp(at_y, y_.low, y_.high)));
    out_ += fmt::format(R"(<path class="line l{}{}" d="{}"/>)", number % 4, line.has_marks ? " faint" : "", path);
    if (line.has_marks)
      for (const auto& [at_x, at_y] : line.points)
        out_ += fmt::format(R"(<circle class="mark l{}" cx="{:.1f}" cy="{:.1f}" r="3"/>)", number % 4, x(at_x), y(at_y));
    const double row = kTop + 14 * static_cast<double>(number + 1);
    out_ += fmt::format(R"(<path class="line l{}" d="M{} {:.1f}h18"/>)", number % 4, kLeft + 12, row - 4);
    text(kLeft + 36, row, "tick", line.name, "start");
  }

  void level() {
    out_ += fmt::format(R"(<path class="level" d="M{} {:.1f}H{}"/>)", kLeft, y(chart_.level), kWidth - kRight);
    text(kWidth - kRight, y(chart_.level) - 5, "tick", chart_.level_name, "end");
  }

  const Chart& chart_;
  Range x_, y_;
  std::string out_;
};

}  // namespace

std::string draw(const Chart& chart) { return Drawing(chart).svg(); }

std::string_view chart_style() {
  return ".chart{width:100%;max-width:640px;height:auto;font:12px system-ui,sans-serif}"
         ".chart .title{font-weight:600;font-size:14px;fill:currentColor}.chart .tick{fill:currentColor;opacity:.75}"
         ".chart .grid{stroke:currentColor;opacity:.15}.chart .line{fill:none;stroke-width:1.8}"
         ".chart .faint{opacity:.35}.chart .level{stroke:currentColor;stroke-dasharray:5 4;opacity:.7}"
         ".chart .l0{stroke:#2b6cb0}.chart .l1{stroke:#c05621}.chart .l2{stroke:#2f855a}.chart .l3{stroke:#805ad5}"
         ".chart circle.l0{fill:#2b6cb0}.chart circle.l1{fill:#c05621}.chart circle.l2{fill:#2f855a}.chart "
         "circle.l3{fill:#805ad5}";
}

}  // namespace atys::present::report
