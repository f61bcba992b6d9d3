// SPDX-License-Identifier: Apache-2.0
#include "verbs/top.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/quantities.h"
#include "cli/print.h"
#include "cli/target_options.h"
#include "cli/terminal.h"

namespace atys::cli {

namespace {

constexpr size_t kLinesAboveRows = 2;  // what it is, and the heads of the columns

class TopSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "top",
        .summary = "Watch what a target does, as it runs",
        .description =
            "Shows the hottest functions of the last seconds, again and again. Keys: up and down choose a function, Enter "
            "shows who\n"
            "calls it, Backspace goes back, s sorts by own time or by all time, p pauses, q quits. Without a terminal it "
            "prints\n"
            "--windows tables, or one JSON object a line.",
        .examples =
            "  # the whole machine\n"
            "  atys top --host\n"
            "  # three tables of a service, five seconds each\n"
            "  atys top --service nginx --window 5s --windows 3",
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    target_.define(app);
    app.add_option("--window", window_, "How long each table is about (default: 2s)")->type_name("TIME");
    app.add_option("--windows", windows_, "Print so many tables and end, instead of a live view")->type_name("N");
    app.add_option("--callers", function_, "Show who calls FUNCTION instead")->type_name("FUNCTION");
    app.add_option("--top", request_.rows, "Rows of a printed table (default: 20)")->type_name("N");
    app.add_flag("--total", by_total_, "Sort by all time that a function was on the stack");
  }

  Result<> prepare() override {
    TRY(target_.parse(request_.target));
    if (!window_.empty()) request_.seconds = static_cast<double>(TRY(parse_duration(window_))) / 1e9;
    if (windows_ < 0) return fail(ErrorCode::InvalidInput, "--windows must not be negative");
    return verbs::check(request_.target);
  }

  Result<Printed> run() override {
    if (windows_ > 0 || json) return print_windows();
    Terminal terminal = TRY(Terminal::take_over());
    request_.rows = 1000;
    auto top = TRY(verbs::LiveTop::open(request_));
    TRY(watch(terminal, *top));
    return Printed{};
  }

 private:
  Result<Printed> print_windows() {
    auto top = TRY(verbs::LiveTop::open(request_));
    for (int64_t shown = 0; shown < std::max<int64_t>(windows_, 1) && !top->has_ended();) {
      if (!top->step(100)) continue;
      const Printed printed = print(TRY(top->window(function_, by_total_)), json);
      std::fwrite(printed.out.data(), 1, printed.out.size(), stdout);
      std::fflush(stdout);
      ++shown;
    }
    return Printed{};
  }

  // Keys are looked at ten times a second; the table changes when a window is complete, or with a key.
  Result<> watch(const Terminal& terminal, verbs::LiveTop& top) {
    std::optional<verbs::TopAnswer> shown;
    bool is_paused = false;
    terminal.draw("recording the first window …", SIZE_MAX);
    while (true) {
      bool has_changed = top.step(100) && !is_paused;
      for (Key key = terminal.take_key(); key != Key::None; key = terminal.take_key()) {
        if (key == Key::Quit) return {};
        if (key == Key::Pause) is_paused = !is_paused;
        if (shown) act(key, *shown);
        has_changed = true;
      }
      if (top.has_ended() && shown && shown->is_last && !has_changed) return {};
      if (!has_changed) continue;
      shown = TRY(top.window(function_, by_total_));
      chosen_ = std::min(chosen_, shown->summary.rows.empty() ? 0 : shown->summary.rows.size() - 1);
      std::string text = present::text::render(*shown);
      if (is_paused) text = "paused; " + text;
      terminal.draw(text, function_.empty() ? chosen_ + kLinesAboveRows : SIZE_MAX);
    }
  }

  void act(Key key, const verbs::TopAnswer& shown) {
    if (key == Key::Sort) by_total_ = !by_total_;
    if (key == Key::Up && chosen_ > 0) --chosen_;
    if (key == Key::Down) ++chosen_;
    if (key == Key::Back) function_.clear();
    if (key == Key::Enter && function_.empty() && chosen_ < shown.summary.rows.size())
      function_ = shown.summary.rows[chosen_].entity.name;
  }

  verbs::TopRequest request_;
  TargetFlags target_;
  std::string window_, function_;
  int64_t windows_ = 0;
  size_t chosen_ = 0;
  bool by_total_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_top() { return std::make_unique<TopSubcommand>(); }

}  // namespace atys::cli
