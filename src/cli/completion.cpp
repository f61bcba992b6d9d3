// SPDX-License-Identifier: Apache-2.0
// Completion in shells. A shell's script asks us at each key press (complete.h), so that it cannot fall behind what we are.
#include "cli/choices.h"
#include "cli/complete.h"
#include "cli/completion_scripts.h"
#include "cli/raw_text.h"
#include "cli/subcommand.h"

namespace atys::cli {

namespace {

class CompletionSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "completion",
        .summary = "Print the completion script of a shell",
        .description = R"(
          For bash, zsh and fish: verbs, options, kinds, processes, services, profiles and files. The script asks atys,
          so it need not be made again after an update. With words behind -- it prints what may stand in the place of
          the last one.
          )"_text,
        .examples = R"(
          # bash, in ~/.bashrc
          source <(atys completion bash)
          # zsh, in ~/.zshrc, after compinit
          source <(atys completion zsh)
          # fish
          atys completion fish > ~/.config/fish/completions/atys.fish
        )"_text,
        .command = CommandRule::Marked,
    };
    return kManual;
  }

  void define_options(CLI::App& app) override {
    app.add_option("SHELL", shell_, "bash, zsh or fish")->required()->transform(one_of({"bash", "zsh", "fish"}));
  }

  void take_command(std::vector<std::string> words) override { words_ = std::move(words); }

  Result<Printed> run() override {
    if (!words_.empty()) return Printed{to_lines(complete(words_)), {}};
    return Printed{std::string(shell_ == "bash" ? kBashScript : shell_ == "zsh" ? kZshScript : kFishScript), {}};
  }

 private:
  std::string shell_;
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Subcommand> create_completion() { return std::make_unique<CompletionSubcommand>(); }

}  // namespace atys::cli
