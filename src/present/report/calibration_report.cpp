// SPDX-License-Identifier: Apache-2.0
#include "present/report/calibration_report.h"

#include <fmt/format.h>

#include "base/markup.h"
#include "present/report/chart.h"
#include "present/text/answers.h"

namespace atys::present::report {

namespace {

ChartLine measured(const std::string& name, const std::vector<adapt::PruningPoint>& points,
                   double (*value)(const adapt::PruningPoint&)) {
  ChartLine line{.name = name, .has_marks = true};
  for (const adapt::PruningPoint& point : points) line.points.emplace_back(point.setting, value(point));
  return line;
}

ChartLine fitted(const std::string& name, const adapt::Curve& curve, double low) {
  ChartLine line{.name = name};
  for (double p = low; p <= 100; p += 0.1) line.points.emplace_back(p, curve.at(p));
  return line;
}

ChartLine over_time(const std::string& name, const std::vector<double>& values, double window_seconds) {
  ChartLine line{.name = name};
  for (size_t i = 0; i < values.size(); ++i)
    line.points.emplace_back(window_seconds * static_cast<double>(i + 1), values[i]);
  return line;
}

std::string escape_lines(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += escape_markup(std::string_view(text).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

double saved(const adapt::PruningPoint& point) { return point.time_saved; }
double mape(const adapt::PruningPoint& point) { return point.mape[3]; }

}  // namespace

std::string calibration_html(const verbs::CalibrateAnswer& answer) {
  const adapt::Calibration& found = answer.calibration;
  const double low = found.by_threads.front().setting;
  const std::string charts = draw({.title = "Threads kept: time of aggregation saved",
                                   .x_title = "p: samples of the threads that are kept, %",
                                   .y_title = "% saved",
                                   .lines = {measured("measured", found.by_threads, saved),
                                             fitted("T(p) = " + found.time_curve.formula(), found.time_curve, low)}}) +
                             draw({.title = "Threads kept: error of the top 50 functions",
                                   .x_title = "p, %",
                                   .y_title = "MAPE, %",
                                   .lines = {measured("measured", found.by_threads, mape),
                                             fitted("MAPE(p) = " + found.mape_curve.formula(), found.mape_curve, low)},
                                   .level = answer.max_mape,
                                   .level_name = "allowed"}) +
                             draw({.title = "Thinning: what it saves and what it costs",
                                   .x_title = "bound on the error of any share, %",
                                   .y_title = "%",
                                   .lines = {measured("time saved", found.by_error, saved),
                                             measured("MAPE of the top 50", found.by_error, mape)}}) +
                             draw({.title = "How much the service changes",
                                   .x_title = "seconds",
                                   .y_title = "Jensen-Shannon divergence, bits",
                                   .lines = {over_time("noise taken off", found.divergences, answer.window_seconds),
                                             over_time("plain", found.plain, answer.window_seconds)},
                                   .level = found.threshold,
                                   .level_name = "threshold"});
  return fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
      "<title>Calibration of {0}</title><style>:root{{color-scheme:light dark}}body{{font:15px/1.5 "
      "system-ui,sans-serif;max-width:1340px;"
      "margin:2rem auto;padding:0 "
      "1rem}}.charts{{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:1.5rem}}"
      "pre{{overflow:auto;font-size:13px}}{1}</style><h1>Calibration of {0}</h1><div "
      "class=\"charts\">{2}</div><pre>{3}</pre></html>\n",
      escape_markup(answer.service), chart_style(), charts, escape_lines(text::render(answer)));
}

}  // namespace atys::present::report
