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

// Help beyond the list of options, all data, so that help, completion and the man page cannot drift apart.
struct Manual {
  std::string_view name;
  std::string_view summary;      // one line
  std::string_view description;  // paragraphs
  std::string_view examples;     // one command a line, each with a comment above it
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
  // Checks what the options mean together; what fails here is a wrong call, not a failed one.
  virtual Result<> prepare() { return {}; }
  virtual Result<Printed> run() = 0;

  bool json = false;
};

// Made from the list in CMakeLists.txt.
std::vector<std::unique_ptr<Subcommand>> all_subcommands();

// The whole command line, with options bound to `subcommands`. Used by main, and by completion to see what there is.
std::unique_ptr<CLI::App> make_app(const std::vector<std::unique_ptr<Subcommand>>& subcommands);

}  // namespace atys::cli
