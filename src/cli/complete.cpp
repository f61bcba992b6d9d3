// SPDX-License-Identifier: Apache-2.0
#include "cli/complete.h"

#include <algorithm>
#include <map>
#include <optional>

#include "cli/arguments.h"
#include "cli/choices.h"
#include "cli/option_rows.h"
#include "cli/subcommand.h"
#include "profile/kinds.h"

namespace atys::cli {

namespace {

using verbs::Candidate;
using verbs::CandidateKind;

void offer(Completion& completion, const std::string& typed, Candidate candidate) {
  if (candidate.value.starts_with(typed)) completion.candidates.push_back(std::move(candidate));
}

void offer_known(Completion& completion, const std::string& typed, CandidateKind kind) {
  for (Candidate& candidate : verbs::candidates(kind)) offer(completion, typed, std::move(candidate));
}

// What a value is called, without what says that there may be several.
std::string word_of(const CLI::Option& option) {
  std::string word = option.get_positional() ? option.get_name(true) : option.get_type_name();
  return word.substr(0, word.find_first_of(",…."));
}

// By what a value is called.
struct Source {
  std::optional<CandidateKind> kind;
  Completion::Shell shell = Completion::Shell::Nothing;
};

Source source_of(const CLI::Option& option) {
  static const std::map<std::string, Source> kSources = {
      {"PID", {CandidateKind::Processes}},
      {"RULE", {CandidateKind::Services}},
      {"SERVICE", {CandidateKind::Services}},
      {"CGROUP", {CandidateKind::Cgroups}},
      {"USER", {CandidateKind::Users}},
      {"LEDGER", {CandidateKind::Ledgers}},
      {"LANGUAGE", {CandidateKind::Languages}},
      {"PROFILE", {CandidateKind::Profiles, Completion::Shell::Files}},
      {"BASE", {CandidateKind::Profiles, Completion::Shell::Files}},
      {"NEW", {CandidateKind::Profiles, Completion::Shell::Files}},
      {"FILE", {std::nullopt, Completion::Shell::Files}},
      {"FOLDER", {std::nullopt, Completion::Shell::Folders}},
  };
  const std::string word = word_of(option);
  if (word == "ID" && option.get_positional()) return {CandidateKind::Profiles};  // of the library; not of a trace
  const auto found = kSources.find(word);
  return found == kSources.end() ? Source{} : found->second;
}

void complete_value(Completion& completion, CLI::Option& option, const std::string& typed) {
  const std::vector<std::string> choices = choices_of(option);
  for (const std::string& choice : choices) offer(completion, typed, {choice, ""});
  if (typed.starts_with(profile::kEventPrefix) && std::ranges::find(choices, profile::kEventPrefix) != choices.end())
    offer_known(completion, typed, CandidateKind::Events);
  const Source source = source_of(option);
  const bool is_profile = source.kind == CandidateKind::Profiles && source.shell == Completion::Shell::Files;
  // A controller is asked only by somebody who begins to name a service of it.
  if (is_profile && typed.starts_with("service:")) return offer_known(completion, typed, CandidateKind::FleetServices);
  if (source.kind) offer_known(completion, typed, *source.kind);
  completion.shell = source.shell;
}

// The part of a word that is completed: behind "--kind=", behind the last comma of a list.
void complete_part(Completion& completion, CLI::Option& option, std::string before, std::string typed) {
  if (option.get_delimiter() != '\0') {
    if (const size_t comma = typed.rfind(option.get_delimiter()); comma != std::string::npos) {
      before += typed.substr(0, comma + 1);
      typed.erase(0, comma + 1);
    }
  }
  complete_value(completion, option, typed);
  for (Candidate& candidate : completion.candidates) candidate.value.insert(0, before);
  completion.before = std::move(before);
}

void complete_option(Completion& completion, const CLI::App& app, const WordWalk& walk, const std::string& typed) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option->get_positional()) continue;
    const bool is_used = std::ranges::find(walk.seen(), option) != walk.seen().end();
    if (is_used && !is_list(*option)) continue;
    for (const std::string& name : option->get_lnames()) offer(completion, typed, {"--" + name, option->get_description()});
    if (typed == "-" && option->get_lnames().empty())
      for (const std::string& name : option->get_snames()) offer(completion, typed, {"-" + name, option->get_description()});
  }
}

// CLI11 shows the words of an option only to whoever may change it.
CLI::Option& changeable(CLI::App& app, const CLI::Option* option) {
  const std::vector<CLI::Option*> all = app.get_options({});
  return **std::ranges::find(all, option);
}

CLI::Option* positional(CLI::App& app, size_t index) {
  std::vector<CLI::Option*> all = app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (index < all.size()) return all[index];
  return !all.empty() && is_list(*all.back()) ? all.back() : nullptr;
}

Completion verbs_like(const std::string& typed) {
  Completion completion;
  for (const auto& subcommand : all_subcommands())
    offer(completion, typed, {std::string(subcommand->manual().name), std::string(subcommand->manual().summary)});
  if (typed.starts_with('-')) {
    offer(completion, typed, {"--help", "Print the help"});
    offer(completion, typed, {"--version", "Print the version"});
  }
  return completion;
}

Completion complete_verb(Subcommand& subcommand, const std::vector<std::string>& words) {
  Completion completion;
  const auto app = make_app(subcommand);
  const Manual& manual = subcommand.manual();
  WordWalk walk(*app, manual);
  size_t command_at = 0;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const WordWalk::Kind kind = walk.take(words[i]);
    const bool begins_another = kind == WordWalk::Kind::Command && words[i] == "--" && manual.command == CommandRule::Marked;
    if (kind == WordWalk::Kind::Mark || begins_another) command_at = i + 1;
    if (kind == WordWalk::Kind::Command && command_at == 0) command_at = i;
  }
  const std::string& typed = words.back();
  std::string value;
  if (const CLI::Option* option = walk.wants_value(); option != nullptr) {
    complete_part(completion, changeable(*app, option), "", typed);
  } else if (manual.command != CommandRule::None && walk.is_in_command()) {
    completion.shell = Completion::Shell::Command;
    completion.words_before = command_at;
  } else if (const CLI::Option* named = option_of(*app, typed, &value);
             named != nullptr && typed.starts_with("--") && typed.find('=') != std::string::npos && !is_flag(*named)) {
    complete_part(completion, changeable(*app, named), typed.substr(0, typed.find('=') + 1), value);
  } else if (typed.starts_with('-') && !walk.is_in_command()) {
    complete_option(completion, *app, walk, typed);
  } else if (walk.may_take_value() != nullptr && manual.command == CommandRule::None) {
    complete_part(completion, changeable(*app, walk.may_take_value()), "", typed);
  } else if (walk.would_begin_command()) {
    completion.shell = Completion::Shell::Command;
    completion.words_before = words.size() - 1;
  } else if (CLI::Option* next = positional(*app, walk.positionals()); next != nullptr) {
    complete_part(completion, *next, "", typed);
  } else if (typed.empty()) {
    complete_option(completion, *app, walk, typed);
  }
  return completion;
}

}  // namespace

Completion complete(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  if (words.size() == 1) return verbs_like(words[0]);
  for (const auto& subcommand : all_subcommands()) {
    if (subcommand->manual().name != words[0]) continue;
    Completion completion = complete_verb(*subcommand, {words.begin() + 1, words.end()});
    if (completion.shell == Completion::Shell::Command) ++completion.words_before;  // the verb
    return completion;
  }
  return {};
}

std::string to_lines(const Completion& completion) {
  std::string text = "nothing\n";
  if (completion.shell == Completion::Shell::Files) text = "files\t" + completion.before + "\n";
  if (completion.shell == Completion::Shell::Folders) text = "folders\t" + completion.before + "\n";
  if (completion.shell == Completion::Shell::Command) text = "command\t" + std::to_string(completion.words_before) + "\n";
  for (const verbs::Candidate& candidate : completion.candidates) text += candidate.value + "\t" + candidate.text + "\n";
  return text;
}

}  // namespace atys::cli
