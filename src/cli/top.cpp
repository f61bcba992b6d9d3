// SPDX-License-Identifier: Apache-2.0
#include "verbs/top.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/quantities.h"
#include "cli/choices.h"
#include "cli/print.h"
#include "cli/raw_text.h"
#include "cli/screen.h"
#include "cli/target_options.h"
#include "cli/terminal.h"
#include "cli/top_view.h"

namespace atys::cli {

namespace {

constexpr size_t kMostRows = 1000;  // that can be scrolled through
constexpr int kStepMs = 100;

class TopSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "top",
        .summary = "Watch what a target does, as it runs",
        .description = R"(
          Shows the hottest functions of the last seconds, again and again. Keys: up and down choose a function, Enter
          shows who calls it, Backspace goes back, s sorts by own time or by all time, p pauses, ? shows all keys, q
          quits. When the target ends its last table stays on the terminal. Without a terminal it prints --windows
          tables, or one JSON object a line.
          )"_text,
        .examples = R"(
          # the whole machine
          atys top --host
          # three tables of a service, five seconds each
          atys top --service nginx --window 5s --windows 3
        )"_text,
        .command = CommandRule::FirstWord,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    target_.define(app);
    app.add_option("--window", window_, "How long each table is about (default: 2s)")->type_name("TIME");
    app.add_option("--windows", windows_, "Print so many tables and end, instead of a live view")
        ->type_name("N")
        ->check(whole_number());
    app.add_option("--callers", function_, "Show who calls FUNCTION instead")->type_name("FUNCTION");
    app.add_option("--top", request_.rows, "Rows of a printed table (default: 20)")->type_name("N")->check(positive());
    app.add_flag("--total", by_total_, "Sort by all time that a function was on the stack");
  }

  void take_command(std::vector<std::string> command) override { target_.take_command(std::move(command)); }

  Result<> prepare() override {
    TRY(target_.parse(request_.target));
    if (!window_.empty()) request_.seconds = static_cast<double>(TRY(parse_duration(window_))) / 1e9;
    return verbs::check(request_.target);
  }

  Result<Printed> run() override {
    if (windows_ > 0 || json) return print_windows();
    const size_t rows_of_last = request_.rows;
    request_.rows = kMostRows;
    request_.wake_fd = STDIN_FILENO;
    request_.joins_last = true;
    std::unique_ptr<verbs::LiveTop> top;
    TopView view(by_total_, function_);
    {
      Terminal terminal = TRY(Terminal::take_over());
      top = TRY(verbs::LiveTop::open(request_));
      TRY(watch(terminal, *top, view));
    }
    return last_words(*top, view, rows_of_last);
  }

 private:
  Result<Printed> print_windows() {
    auto top = TRY(verbs::LiveTop::open(request_));
    for (int64_t shown = 0; shown < std::max<int64_t>(windows_, 1) && !top->has_ended();) {
      if (!top->step(kStepMs)) continue;
      const Printed printed = print(TRY(top->window(function_, by_total_)), json);
      if (std::fwrite(printed.out.data(), 1, printed.out.size(), stdout) != printed.out.size() || std::fflush(stdout) != 0)
        return fail_errno("cannot write standard output");
      ++shown;
    }
    return Printed{};
  }

  // A key is looked at as soon as it comes; the table changes when a window is complete, or with a key.
  Result<> watch(Terminal& terminal, verbs::LiveTop& top, TopView& view) {
    size_t drawn_rows = 0;
    size_t drawn_columns = 0;
    while (!view.wants_to_quit()) {
      if (top.has_ended()) terminal.wait(kStepMs);  // paused: somebody still reads
      bool has_window = drawn_rows > 0 && top.step(kStepMs);
      bool has_key = false;
      for (Key key = terminal.take_key(); key != Key::None && !view.wants_to_quit(); key = terminal.take_key()) {
        if (key == Key::Suspend) terminal.suspend();
        view.press(key);
        has_key = true;
      }
      top.hold(view.is_paused());
      has_window = has_window && !view.is_paused();
      const bool is_over = top.has_ended() && !view.is_paused();
      const bool has_size = terminal.rows() != drawn_rows || terminal.columns() != drawn_columns;
      if (has_window || (view.has_answer() && has_key)) view.show(TRY(top.window(view.function(), view.by_total())));
      if (is_over || view.wants_to_quit()) return {};
      if (!has_window && !has_key && !has_size) continue;
      drawn_rows = terminal.rows();
      drawn_columns = terminal.columns();
      // Lines are cut where they are drawn, and escapes are no part of them.
      present::text::use_screen({.columns = drawn_columns});
      const TopView::Drawing drawing = view.draw(drawn_rows);
      terminal.draw(drawing.text, drawing.marked);
    }
    return {};
  }

  // What stays on the terminal: the last table of a target that has ended, and what became of a command.
  Result<Printed> last_words(verbs::LiveTop& top, const TopView& view, size_t rows) {
    Printed printed;
    if (top.has_ended() && !top.was_interrupted()) {
      present::text::use_screen(screen_of_output(color));
      verbs::TopAnswer last = TRY(top.window("", view.by_total()));
      if (auto& table = reduce::table_of(last.summary.rows); table.size() > rows) table.resize(rows);
      printed.out = present::text::render(last);
    }
    if (const int pid = top.command_pid(); pid > 0)
      printed.notes.push_back("the command goes on, as process " + std::to_string(pid));
    return printed;
  }

  verbs::TopRequest request_;
  TargetFlags target_;
  std::string window_, function_;
  int64_t windows_ = 0;
  bool by_total_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> create_top() { return std::make_unique<TopSubcommand>(); }

}  // namespace atys::cli
