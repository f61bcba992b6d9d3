// SPDX-License-Identifier: Apache-2.0
// The command line: parses, runs one verb, prints. Results go to standard output, notes and errors to standard error.
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

#include "base/utf8.h"
#include "cli/subcommand.h"
#include "present/json/answers.h"

namespace atys::cli {

namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kBudgetSpent = 3;

// One line, whatever the parts hold: "atys: what failed: why; what to do".
void print_error(const Error& error) {
  std::string line = "atys: " + printable(error.message);
  if (!error.hint.empty()) line += "; " + printable(error.hint);
  std::fprintf(stderr, "%s\n", line.c_str());
}

int report(const Error& error, bool json, int status) {
  print_error(error);
  if (json) std::printf("%s\n", present::json::render(error).c_str());
  return status;
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

bool print_out(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

int run_subcommand(Subcommand& subcommand) {
  if (const auto prepared = subcommand.prepare(); !prepared.ok()) return report(prepared.error(), subcommand.json, kUsage);
  const auto printed = subcommand.run();
  if (!printed.ok()) {
    const bool is_budget = printed.error().code == ErrorCode::BudgetSpent;
    return report(printed.error(), subcommand.json, is_budget ? kBudgetSpent : kFailed);
  }
  for (const std::string& note : printed->notes) std::fprintf(stderr, "atys: %s\n", printable(note).c_str());
  if (!print_out(printed->out)) return report(fail_errno("cannot write standard output"), false, kFailed);
  return printed->status;
}

int usage_error(const CLI::ParseError& error, const CLI::App& app, bool json) {
  std::string verb;
  for (const CLI::App* sub : app.get_subcommands()) verb = " " + sub->get_name();
  return report(fail(ErrorCode::InvalidInput, error.what(), "see atys" + verb + " --help"), json, kUsage);
}

int run(int argc, char** argv) {
  const auto subcommands = all_subcommands();
  const auto app = make_app(subcommands);
  try {
    app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* asked = app.get();
    while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().front();
    return print_out(asked->help()) ? kDone : kFailed;
  } catch (const CLI::CallForVersion& version) {
    return print_out(std::string(version.what()) + "\n") ? kDone : kFailed;
  } catch (const CLI::ParseError& error) {
    return usage_error(error, *app, asks_for_json(argc, argv));
  }
  const std::string chosen = app->get_subcommands().front()->get_name();
  for (const auto& subcommand : subcommands) {
    if (subcommand->manual().name == chosen) return run_subcommand(*subcommand);
  }
  return kUsage;
}

}  // namespace

}  // namespace atys::cli

int main(int argc, char** argv) {
  // A reader that closes its pipe ends us quietly, also where our parent had the signal ignored.
  std::signal(SIGPIPE, SIG_DFL);
  // Profiles are a few large arrays that come and go: keep their memory instead of giving it back and faulting it in again.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  return atys::cli::run(argc, argv);
}
