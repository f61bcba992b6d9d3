// SPDX-License-Identifier: Apache-2.0
// The command line: parses, runs one verb, prints. Results go to standard output, notes and errors to standard error.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/help_text.h"
#include "cli/screen.h"
#include "cli/subcommand.h"
#include "cli/usage.h"
#include "present/json/answers.h"
#include "verbs/recording/symbol_worker.h"

namespace atys::cli {

namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kBudgetSpent = 3;

using Words = std::vector<std::string>;

// One line, whatever the parts hold: "atys: what failed: why; what to do".
void print_error(const Error& error) {
  std::string line = "atys: " + printable(error.message);
  if (!error.hint.empty()) line += "; " + printable(error.hint);
  std::fprintf(stderr, "%s\n", line.c_str());
}

void print_note(const std::string& note) { std::fprintf(stderr, "atys: %s\n", printable(note).c_str()); }

int report(const Error& error, bool json, int status) {
  print_error(error);
  if (json) std::printf("%s\n", present::json::render(error).c_str());
  return status;
}

bool print_out(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

int print_failed() {
  if (errno == EBADF)
    return report(fail(ErrorCode::Unavailable, "cannot write standard output: it is closed"), false, kFailed);
  return report(fail_errno("cannot write standard output"), false, kFailed);
}

int print_or_fail(const std::string& text) { return print_out(text) ? kDone : print_failed(); }

int run_subcommand(Subcommand& subcommand) {
  if (const auto prepared = subcommand.prepare(); !prepared.ok()) return report(prepared.error(), subcommand.json, kUsage);
  const auto printed = subcommand.run();
  if (!printed.ok()) {
    const bool is_budget = printed.error().code == ErrorCode::BudgetSpent;
    return report(printed.error(), subcommand.json, is_budget ? kBudgetSpent : kFailed);
  }
  for (const std::string& note : printed->notes) print_note(note);
  if (!print_out(printed->out)) return print_failed();
  return printed->status;
}

// CLI11 takes words from the end.
void parse(CLI::App& app, Words words) {
  std::reverse(words.begin(), words.end());
  app.parse(std::move(words));
}

int run_verb(Subcommand& subcommand, const Words& words) {
  const auto app = make_app(subcommand);
  const Manual& manual = subcommand.manual();
  const auto told_apart = tell_apart(*app, manual, words);
  const Words& own = told_apart.ok() ? told_apart->own : words;
  const bool json = std::ranges::find(own, "--json") != own.end();
  if (!told_apart.ok()) return report(told_apart.error(), json, kUsage);
  try {
    parse(*app, own);
  } catch (const CLI::CallForHelp&) {
    return print_or_fail(help_of(*app, manual, help_columns()));
  } catch (const CLI::ParseError& error) {
    return report(usage_error(error, manual), json, kUsage);
  }
  subcommand.take_command(told_apart->command);
  for (const std::string& word : told_apart->like_ours)
    print_note("note: " + word + " goes to " + told_apart->command.front() + ": options of atys " +
               std::string(manual.name) +
               " stand before the command; with -- in front of the command nothing is said of this");
  present::text::use_screen(screen_of_output(subcommand.color));
  return run_subcommand(subcommand);
}

int run(const Words& words) {
  const auto subcommands = all_subcommands();
  if (words.empty())
    return report(fail(ErrorCode::InvalidInput, "no verb is given",
                       "atys help lists them; atys up shows what this machine is busy with"),
                  false, kUsage);
  if (words[0] == "-h" || words[0] == "--help") return print_or_fail(help_of_all(subcommands, help_columns()));
  if (words[0] == "--version") return print_or_fail("atys " ATYS_VERSION "\n");
  for (const auto& subcommand : subcommands)
    if (subcommand->manual().name == words[0]) return run_verb(*subcommand, {words.begin() + 1, words.end()});
  const bool json = std::ranges::find(words, "--json") != words.end();
  return report(no_such_verb(words[0]), json, kUsage);
}

// A descriptor that was closed would be given to the next file that we open, and what we print would go into it. Opened the
// wrong way round: whoever uses it is told.
void keep_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

}  // namespace atys::cli

int main(int argc, char** argv) {
  atys::cli::keep_standard_descriptors();
  // A reader that closes its pipe ends us quietly, also where our parent had the signal ignored.
  std::signal(SIGPIPE, SIG_DFL);
  if (const auto status = atys::verbs::run_if_symbol_worker(argc, argv)) return *status;
  atys::verbs::use_symbol_worker();
  // Profiles are a few large arrays that come and go: keep their memory instead of giving it back and faulting it in again.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  return atys::cli::run({argv + std::min(argc, 1), argv + argc});
}
