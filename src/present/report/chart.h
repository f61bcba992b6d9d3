// SPDX-License-Identifier: Apache-2.0
// A small chart of lines as SVG, for reports: no script, no external resource, both colour schemes.
#pragma once

#include <string>
#include <vector>

namespace atys::present::report {

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by rising x
  bool has_marks = false;                         // a dot at each point: what was measured
};

struct Chart {
  std::string title;
  std::string x_title, y_title;
  std::vector<ChartLine> lines;
  double level = 0;  // a horizontal line across; 0: none
  std::string level_name;
};

std::string draw(const Chart& chart);

// Of the classes that draw() uses.
std::string_view chart_style();

}  // namespace atys::present::report
