// SPDX-License-Identifier: Apache-2.0
// Completion scripts, made from the command line's own definition, so that they cannot fall behind it.
#include "cli/print.h"
#include "cli/subcommand.h"

namespace atys::cli {

namespace {

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> options;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  return options;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Single quotes end a quoted shell word.
std::string shell_safe(std::string text) {
  for (char& c : text) c = c == '\'' || c == '[' || c == ']' || c == ':' ? ' ' : c;
  return text;
}

std::string bash_script(const CLI::App& app) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    verbs.push_back(sub->get_name());
    cases += "    " + sub->get_name() + ") words='" + joined(long_options(*sub)) + "' ;;\n";
  }
  return "# bash completion of atys; load it with: source <(atys completion bash)\n"
         "_atys() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" words=''\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         joined(verbs) +
         " --help --version' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"${COMP_WORDS[1]}\" in\n" +
         cases +
         "  esac\n"
         "  case \"$word\" in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _atys atys ./atys\n";
}

std::string zsh_script(const CLI::App& app) {
  std::string verbs;
  std::string cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    verbs += "    '" + sub->get_name() + ":" + shell_safe(sub->get_description()) + "'\n";
    cases += "    " + sub->get_name() + ") _arguments";
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        cases += " '--" + name + "[" + shell_safe(option->get_description()) + "]" +
                 (option->get_type_size() > 0 ? ":value:_files'" : "'");
      }
    }
    cases += " '*:profile:_files' ;;\n";
  }
  return "#compdef atys\n"
         "# zsh completion of atys; put it into a folder of $fpath as _atys, or load it with: source <(atys completion "
         "zsh)\n"
         "_atys() {\n"
         "  local -a verbs=(\n" +
         verbs +
         "  )\n"
         "  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
         "  local verb=$words[2]\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case $verb in\n" +
         cases +
         "  esac\n"
         "}\n"
         "compdef _atys atys\n";
}

class CompletionSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "completion",
        .summary = "Print the completion script of a shell",
        .description = "For bash and zsh.",
        .examples = "  source <(atys completion bash)",
    };
    return kManual;
  }
  void define_options(CLI::App& app) override {
    app.add_option("SHELL", shell_, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  }
  Result<Printed> run() override {
    const auto subcommands = all_subcommands();
    const auto app = make_app(subcommands);
    return Printed{shell_ == "bash" ? bash_script(*app) : zsh_script(*app), {}};
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Subcommand> create_completion() { return std::make_unique<CompletionSubcommand>(); }

}  // namespace atys::cli
