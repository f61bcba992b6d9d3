// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/metric_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/utf8.h"

namespace atys::present::metrics {

namespace {

constexpr size_t kLongestValue = 200;

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : printable(value.substr(0, kLongestValue))) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

void MetricText::family(std::string_view name, MetricType type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type == MetricType::Counter ? "counter" : "gauge");
}

void MetricText::sample(double value, const MetricLabels& labels) {
  text_ += name_;
  for (size_t i = 0; i < labels.size(); ++i)
    text_ += fmt::format("{}{}=\"{}\"", i == 0 ? "{" : ",", labels[i].first, escaped(labels[i].second));
  text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", number(value));
}

void MetricText::gauge(std::string_view name, std::string_view help, double value) {
  family(name, MetricType::Gauge, help);
  sample(value);
}

void MetricText::counter(std::string_view name, std::string_view help, double value) {
  family(name, MetricType::Counter, help);
  sample(value);
}

}  // namespace atys::present::metrics
