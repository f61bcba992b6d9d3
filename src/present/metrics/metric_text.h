// SPDX-License-Identifier: Apache-2.0
// Metrics as Prometheus reads them: the text exposition format 0.0.4. Names and labels of the profiled world are data:
// escaped, bounded, and made valid UTF-8.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atys::present::metrics {

enum class MetricType { Counter, Gauge };

using MetricLabels = std::vector<std::pair<std::string_view, std::string>>;

class MetricText {
 public:
  // Begins a family; its samples follow.
  void family(std::string_view name, MetricType type, std::string_view help);
  void sample(double value, const MetricLabels& labels = {});
  // A family of one.
  void gauge(std::string_view name, std::string_view help, double value);
  void counter(std::string_view name, std::string_view help, double value);

  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

inline constexpr std::string_view kMetricMediaType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace atys::present::metrics
