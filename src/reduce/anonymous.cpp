// SPDX-License-Identifier: Apache-2.0
#include "reduce/anonymous.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/path_names.h"
#include "language/languages.h"
#include "profile/import.h"
#include "reduce/function_text.h"

namespace atys::reduce {

using namespace profile;

namespace {

using language::Language;

const language::Words& anonymous_names() {
  static const language::Words kNames = language::words_of_all(&Language::anonymous);
  return kNames;
}

bool is_anonymous(std::string_view name) { return std::ranges::binary_search(anonymous_names(), name); }

// "Node.render.<locals>.<lambda>", "App\{closure}", "block in Node#render": in what it is it says itself.
bool is_anonymous_within(std::string_view name) {
  static const auto kOfLanguages = language::functions_of_all(&Language::is_anonymous_within);
  if (std::ranges::any_of(kOfLanguages, [&](const auto is_one) { return is_one(name); })) return true;
  return std::ranges::any_of(anonymous_names(), [&](std::string_view word) {
    return name.size() > word.size() && name.ends_with(word) &&
           std::string_view(".\\:/ ").find(name[name.size() - word.size() - 1]) != std::string_view::npos;
  });
}

// "run(int)::{lambda}" of "run(int)::{lambda}:42": a line may follow.
bool is_nameless(std::string_view name) {
  static const language::Words kEndings = language::words_of_all(&Language::anonymous_endings);
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); }) ||
         is_anonymous(name) || is_anonymous_within(name);
}

std::string with_line(const Profile& profile, FunctionId id) {
  return stable_name(function_name(profile, id)) + ":" + std::to_string(profile.functions[id].start_line);
}

// Finds the functions around anonymous ones.
class Enclosing {
 public:
  Enclosing(const Profile& profile, const std::vector<bool>& is_anonymous)
      : profile_(profile), is_anonymous_(is_anonymous), around_(profile.functions.size()) {
    for (uint32_t i = 1; i < profile_.stacks.size(); ++i) look_at(profile_.stacks[StackId{i}]);
  }

  // 0: not known.
  FunctionId of(FunctionId id) const { return around_[raw(id)]; }

 private:
  // A stack may be thousands of frames deep: callers are looked for among the nearest.
  static constexpr size_t kFarthest = 64;

  void look_at(std::span<const FrameId> leaf_first) {
    calls_.clear();
    for (const FrameId frame : leaf_first)
      for (const Line& line : profile_.lines[profile_.frames[frame].lines]) calls_.push_back(line.function);
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (!is_anonymous_[raw(calls_[i])]) continue;
      const size_t end = std::min(calls_.size(), i + kFarthest);
      for (size_t caller = i + 1; caller < end; ++caller) consider(calls_[i], calls_[caller]);
    }
  }

  void consider(FunctionId anonymous, FunctionId caller) {
    const Function& inner = profile_.functions[anonymous];
    const Function& outer = profile_.functions[caller];
    if (outer.start_line <= 0 || outer.start_line > inner.start_line || is_anonymous_[raw(caller)]) return;
    FunctionId& around = around_[raw(anonymous)];
    if (outer.start_line <= profile_.functions[around].start_line && raw(around) != 0) return;
    if (profile_.text(outer.filename) == profile_.text(inner.filename)) around = caller;
  }

  const Profile& profile_;
  const std::vector<bool>& is_anonymous_;  // by function
  std::vector<FunctionId> around_;         // by function
  std::vector<FunctionId> calls_;          // of the stack being looked at
};

// Takes a line off the front of `text`; 0: there is none that a source could have.
int64_t take_line(std::string_view& text) {
  int64_t line = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  if (error != std::errc() || line <= 0 || line > kMostLines) return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return line;
}

bool may_follow_line(std::string_view rest) {
  return rest.empty() || rest.starts_with(" in ") || rest.starts_with("::") || rest.front() == '<' || rest.front() == '#';
}

}  // namespace

FunctionNames::FunctionNames(const Profile& profile) : profile_(&profile) {
  std::vector<bool> are_anonymous(profile.functions.size());
  std::vector<std::string> shown(profile.functions.size());
  bool is_any_anonymous = false;
  bool is_any_shown = false;
  for (uint32_t i = 1; i < shown.size(); ++i) {
    const FunctionId id{i};
    const std::string_view name = function_name(profile, id);
    const bool has_line = profile.functions[id].start_line > 0;
    are_anonymous[i] = has_line && is_anonymous(name);
    is_any_anonymous = is_any_anonymous || are_anonymous[i];
    if (has_line && (are_anonymous[i] || is_anonymous_within(name)))
      shown[i] = with_line(profile, id);
    else if (std::string stable = stable_name(name); stable != name)
      shown[i] = std::move(stable);
    is_any_shown = is_any_shown || !shown[i].empty();
  }
  if (!is_any_shown) return;
  shown_ = std::move(shown);
  if (!is_any_anonymous) return;
  const Enclosing enclosing(profile, are_anonymous);
  for (uint32_t i = 1; i < shown_.size(); ++i) {
    const FunctionId around = enclosing.of(FunctionId{i});
    if (!are_anonymous[i] || raw(around) == 0) continue;
    shown_[i] += " in ";
    shown_[i] += function_name(profile, around);
  }
}

std::string_view FunctionNames::of(FunctionId id) const {
  if (has_any() && !shown_[raw(id)].empty()) return shown_[raw(id)];
  return function_name(*profile_, id);
}

std::string shown_file(const Profile& profile, const Frame& frame, FunctionId id) {
  const std::string_view file = profile.text(profile.functions[id].filename);
  if (!file.empty()) return std::string(file);
  const auto* kind = language::find_frame_kind(profile.text(frame.kind));
  if (kind == nullptr || kind->language->file_of == nullptr) return {};
  return kind->language->file_of(stable_name(function_name(profile, id)));
}

Profile name_anonymous_functions(Profile profile) {
  const FunctionNames names(profile);
  if (!names.has_any()) return profile;
  Profile named;
  Importer importer(profile, named);
  importer.copy_header();
  for (uint32_t i = 1; i < profile.functions.size(); ++i) {
    const FunctionId id{i};
    if (const std::string_view name = names.of(id); name != function_name(profile, id)) importer.rename(id, name);
  }
  importer.copy_samples();
  return named;
}

std::string lasting_name(const Profile& profile, FunctionId id) {
  const std::string_view name = function_name(profile, id);
  if (profile.functions[id].start_line <= 0) return stable_name(name);
  if (is_anonymous_within(name)) return with_line(profile, id);
  if (!is_anonymous(name)) return stable_name(name);
  const std::string_view file = base_name(profile.text(profile.functions[id].filename));
  return with_line(profile, id) + (file.empty() ? "" : " in " + std::string(file));
}

bool may_be_shown_as(const Profile& profile, FunctionId id, std::string_view shown) {
  const std::string_view name = function_name(profile, id);
  if (name == shown || stable_name(name) == shown) return true;
  if (profile.functions[id].start_line <= 0 || !(is_anonymous(name) || is_anonymous_within(name))) return false;
  const std::string plain = with_line(profile, id);
  return shown.starts_with(plain) && (shown.size() == plain.size() || shown.substr(plain.size()).starts_with(" in "));
}

std::optional<AnonymousName> parse_anonymous_name(std::string_view name) {
  static constexpr std::string_view kIn = " in ";
  AnonymousName parsed;
  size_t copied = 0;
  // A lambda in a lambda has two lines; the last is its own.
  for (size_t colon = name.find(':'); colon != std::string_view::npos; colon = name.find(':', colon + 1)) {
    const std::string_view before = name.substr(copied, colon - copied);
    std::string_view rest = name.substr(colon + 1);
    const int64_t line = is_nameless(before) ? take_line(rest) : 0;
    if (line == 0 || !may_follow_line(rest)) continue;
    parsed.word += before;
    parsed.line = line;
    copied = name.size() - rest.size();
    if (rest.starts_with(kIn)) {
      parsed.around = rest.substr(kIn.size());
      copied = name.size();
      break;
    }
  }
  if (parsed.line == 0) return std::nullopt;
  parsed.word += name.substr(copied);
  return parsed;
}

}  // namespace atys::reduce
