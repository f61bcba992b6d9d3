// SPDX-License-Identifier: Apache-2.0
#include "present/json/answers.h"
#include "present/json/common.h"

namespace atys::present::json {

namespace {

void write_points(JsonWriter& json, std::string_view key, const std::vector<adapt::PruningPoint>& points) {
  json.key(key).begin_array();
  for (const adapt::PruningPoint& point : points) {
    json.begin_object().field("setting", point.setting);
    json.field("time_saved_percent", point.time_saved).field("rows_saved_percent", point.rows_saved);
    json.key("mape_percent").begin_object();
    for (size_t i = 0; i < 4; ++i) json.field(std::to_string(adapt::kTops[i]), point.mape[i]);
    json.end_object();
    json.field("mape_total_percent", point.mape_total);
    json.field("error_bound_percent", point.error_bound).field("largest_error_percent", point.largest_error).end_object();
  }
  json.end_array();
}

void write_series(JsonWriter& json, std::string_view key, const std::vector<double>& series) {
  json.key(key).begin_array();
  for (const double value : series) json.value(value);
  json.end_array();
}

}  // namespace

std::string render(const verbs::CalibrateAnswer& answer) {
  const adapt::Calibration& found = answer.calibration;
  JsonWriter json;
  json.begin_object().field("service", answer.service).field("windows", found.windows);
  json.field("window_seconds", answer.window_seconds).field("hz", answer.hz).field("samples", found.samples);
  json.field("threads", found.threads).field("overhead_percent", 100 * answer.overhead);
  json.field("max_mape_percent", answer.max_mape);
  write_points(json, "by_threads", found.by_threads);
  write_points(json, "by_error", found.by_error);
  json.field("time_curve", found.time_curve.formula()).field("mape_curve", found.mape_curve.formula());
  json.field("percentile", found.percentile).field("max_error_percent", 100 * found.max_error);
  write_series(json, "divergences", found.divergences);
  write_series(json, "plain_divergences", found.plain);
  json.field("threshold", found.threshold).field("plain_threshold", found.plain_threshold);
  json.field("task", answer.task_file).end_object();
  return json.take();
}

}  // namespace atys::present::json
