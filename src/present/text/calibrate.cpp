// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "present/text/answers.h"
#include "present/text/numbers.h"
#include "present/text/table.h"

namespace atys::present::text {

namespace {

std::string pruning_table(const std::vector<adapt::PruningPoint>& points, const std::string& setting, bool is_percentile) {
  Table table({{setting},
               {"time saved"},
               {"rows saved"},
               {"top 5"},
               {"top 10"},
               {"top 20"},
               {"MAPE top 50"},
               {"with callees"},
               {"bound"},
               {"seen"}});
  for (const adapt::PruningPoint& point : points)
    table.add({is_percentile ? fmt::format("P{:g}", point.setting) : fmt::format("{:g}%", point.setting),
               percent(point.time_saved), percent(point.rows_saved), percent(point.mape[0]), percent(point.mape[1]),
               percent(point.mape[2]), percent(point.mape[3]), percent(point.mape_total), percent(point.error_bound),
               percent(point.largest_error)});
  return table.render();
}

}  // namespace

std::string render(const verbs::CalibrateAnswer& answer) {
  const adapt::Calibration& found = answer.calibration;
  std::string text = fmt::format("{}: {} windows of {:g}s at {:g} Hz, {:.0f} samples in {} threads; profiling took {}\n\n",
                                 name(answer.service), found.windows, answer.window_seconds, answer.hz, found.samples,
                                 found.threads, percent(100 * answer.overhead));
  text += "keeping the threads that hold the most samples (the paper's pruning)\n";
  text += pruning_table(found.by_threads, "kept", true);
  text += fmt::format("T(p) = {}    MAPE(p) = {}\nMAPE within {:g}%: keep P{:.1f}\n\n", found.time_curve.formula(),
                      found.mape_curve.formula(), answer.max_mape, found.percentile);
  text += "thinning what is seen least (ours)\n";
  text += pruning_table(found.by_error, "max error", false);
  text += found.max_error > 0 ? fmt::format("MAPE within {:g}%: max_error {:g}%\n\n", answer.max_mape, 100 * found.max_error)
                              : fmt::format("MAPE within {:g}%: no pruning\n\n", answer.max_mape);
  size_t changes = 0;
  for (const double divergence : found.divergences) changes += divergence > found.threshold ? 1 : 0;
  text += fmt::format("threshold {:.2g} bits: {} of {} steps from window to window were above it\n\n", found.threshold,
                      changes, found.divergences.size());
  return text + answer.task_file;
}

}  // namespace atys::present::text
