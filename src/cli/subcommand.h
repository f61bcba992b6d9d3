// SPDX-License-Identifier: Apache-2.0
// One verb of the command line: its options, its help, and how its answer is printed. A subcommand turns options into a
// request, calls the verb, and hands the answer to a presenter; it holds no logic of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace atys::cli {

// Where a command of the user's begins among the words of a verb, if it takes one. All that follows is the command's.
enum class CommandRule {
  None,
  Marked,    // behind --
  FirstWord  // the same, or the first word that is neither an option of ours nor the value of one
};

// Help beyond the list of options, all data, so that help, completion and the man page cannot drift apart.
struct Manual {
  std::string_view name;
  std::string_view summary;      // one line
  std::string_view description;  // paragraphs; a line that begins with a blank is printed as it is, others are wrapped
  std::string_view examples;     // one command a line, each with a comment above it
  CommandRule command = CommandRule::None;
  std::string_view command_is_marked_with = {};  // an option after which only -- begins the command
};

// What a verb prints.
struct Printed {
  std::string out;                 // standard output
  std::vector<std::string> notes;  // standard error, one line each
  int status = 0;                  // what we exit with
};

class Subcommand {
 public:
  virtual ~Subcommand() = default;
  virtual const Manual& manual() const = 0;
  virtual void define_options(CLI::App& app) = 0;
  // The user's command, word by word as it was typed; empty: none was.
  virtual void take_command(std::vector<std::string>) {}
  // Checks what the options mean together; what fails here is a wrong call, not a failed one.
  virtual Result<> prepare() { return {}; }
  virtual Result<Printed> run() = 0;

  bool json = false;
  std::string color = "auto";
};

// Made from the list in CMakeLists.txt.
std::vector<std::unique_ptr<Subcommand>> all_subcommands();

std::vector<std::string> verb_names();

// The options of one verb, bound to it. Used by main to parse, and by help, completion and the man page to see what there
// is.
std::unique_ptr<CLI::App> make_app(Subcommand& subcommand);

}  // namespace atys::cli
