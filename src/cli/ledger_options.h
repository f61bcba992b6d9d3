// SPDX-License-Identifier: Apache-2.0
// Which ledger pays for a call, and printing what was paid.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/subcommand.h"
#include "present/charged.h"
#include "present/json/answers.h"
#include "present/text/answers.h"

namespace atys::cli {

class LedgerFlags {
 public:
  void define(CLI::App& app);
  // --ledger, else ATYS_LEDGER, else none.
  verbs::LedgerChoice choice() const;

 private:
  verbs::LedgerChoice said_;
};

// An answer as the user wants it, paid for.
template <typename Answer>
Result<Printed> print_charged(Answer answer, verbs::ChargedCall& call, bool as_json, std::vector<std::string> notes = {}) {
  std::string text = TRY(present::render_charged(answer, call, [&](const Answer& fitted) {
    return as_json ? present::json::render(fitted) + "\n" : present::text::render(fitted);
  }));
  return Printed{std::move(text), std::move(notes)};
}

// The same where nothing is printed: what is left goes to the notes.
Result<std::vector<std::string>> paid_without_answer(verbs::ChargedCall& call, std::vector<std::string> notes);

}  // namespace atys::cli
