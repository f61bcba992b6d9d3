// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/byte_sink.h"
#include "cli/choices.h"
#include "cli/man_page.h"
#include "cli/raw_text.h"
#include "cli/subcommand.h"
#include "cli/usage.h"

namespace atys::cli {

namespace {

class ManSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "man",
        .summary = "Print a manual page, or write all of them into a folder",
        .description = R"(
          Pages are made of the text of atys help, in the language of man(7). cmake --install puts them where man finds
          them.
          )"_text,
        .examples = R"(
          # read one
          atys man capture | man -l -
          # all of them: atys.1, atys-capture.1 …
          atys man --all /usr/local/share/man/man1
        )"_text,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("VERB", verb_, "The verb (default: the program)")->check(offers(verb_names()));
    app.add_option("--all", folder_, "Write all pages there instead")->type_name("FOLDER");
  }

  Result<> prepare() override {
    if (!verb_.empty() && !folder_.empty())
      return fail(ErrorCode::InvalidInput, "--all writes the pages of all verbs", "leave '" + verb_ + "' out");
    const std::vector<std::string> known = verb_names();
    if (!verb_.empty() && std::ranges::find(known, verb_) == known.end()) return no_such_verb(verb_);
    return {};
  }

  Result<Printed> run() override {
    const std::string wanted = verb_.empty() ? "atys.1" : "atys-" + verb_ + ".1";
    for (const auto& [name, text] : all_man_pages()) {
      if (!folder_.empty()) {
        const auto sink = TRY(open_sink(folder_ + "/" + name));
        TRY(sink->write(text));
        TRY(sink->commit());
      } else if (name == wanted) {
        return Printed{text, {}};
      }
    }
    return Printed{};
  }

 private:
  std::string verb_, folder_;
};

}  // namespace

std::unique_ptr<Subcommand> create_man() { return std::make_unique<ManSubcommand>(); }

}  // namespace atys::cli
