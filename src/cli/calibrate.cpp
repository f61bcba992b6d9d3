// SPDX-License-Identifier: Apache-2.0
#include "verbs/calibrate.h"

#include <unistd.h>

#include <cstdio>

#include "base/byte_sink.h"
#include "base/quantities.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "present/report/calibration_report.h"

namespace atys::cli {

namespace {

Result<> write_text(const std::string& path, const std::string& text) {
  const std::unique_ptr<ByteSink> sink = TRY(open_sink(path));
  TRY(sink->write(text));
  return sink->commit();
}

class CalibrateSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "calibrate",
        .summary = "Profile a service for a while and propose a task for it",
        .description = R"(
          The initialization stage. Records the service in full under its usual load, then finds what pruning would save
          and cost, the largest pruning within the allowed error, and how much the service changes from window to
          window. Prints the figures and the task that follows from them; -o writes the task file, --report a page with
          the curves.
          )"_text,
        .examples = R"(
          # two minutes, then a task file and a report
          atys calibrate shop -o shop.yaml --report shop.html
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("SERVICE", request_.service, "A rule, as for capture --service")->required();
    app.add_option("-o,--output", output_, "Write the task there")->type_name("FILE");
    app.add_option("--report", report_, "Write a page with the curves there")->type_name("FILE.html");
    app.add_option("--task", request_.task, "What the task is called (default: as the service)")->type_name("NAME");
    app.add_option("--freq", freq_, "Rate while it calibrates (default: 199)")->type_name("HZ");
    app.add_option("--window", window_, "How long a window is (default: 5s)")->type_name("TIME");
    app.add_option("--windows", windows_, "How many (default: 24)")->type_name("N");
    app.add_option("--max-error", max_error_, "Allowed mean error of the top 50 functions (default: 0.5%)")
        ->type_name("PERCENT");
  }

  Result<> prepare() override {
    if (!freq_.empty()) request_.hz = TRY(parse_frequency(freq_));
    if (!window_.empty()) request_.window_ns = TRY(parse_duration(window_));
    if (!max_error_.empty()) request_.max_mape = 100 * TRY(parse_percent(max_error_));
    if (windows_ < 0) return fail(ErrorCode::InvalidInput, "--windows must not be negative");
    if (windows_ > 0) request_.windows = static_cast<size_t>(windows_);
    return {};
  }

  Result<Printed> run() override {
    if (::isatty(STDERR_FILENO) != 0)
      request_.on_window = [this](size_t done) { std::fprintf(stderr, "\rwindow %zu of %zu ", done, request_.windows); };
    const verbs::CalibrateAnswer answer = TRY(verbs::calibrate(request_));
    if (!output_.empty()) TRY(write_text(output_, answer.task_file));
    if (!report_.empty()) TRY(write_text(report_, present::report::calibration_html(answer)));
    return print(answer, json);
  }

 private:
  verbs::CalibrateRequest request_;
  std::string output_, report_, freq_, window_, max_error_;
  int64_t windows_ = 0;
};

}  // namespace

std::unique_ptr<Subcommand> create_calibrate() { return std::make_unique<CalibrateSubcommand>(); }

}  // namespace atys::cli
