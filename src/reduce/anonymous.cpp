// SPDX-License-Identifier: Apache-2.0
#include "reduce/anonymous.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/import.h"

namespace atys::reduce {

using namespace profile;

namespace {

constexpr std::string_view kAnonymous[] = {"(anonymous)", "<anonymous>", "<lambda>",  "<listcomp>",
                                           "<genexpr>",   "<dictcomp>",  "<setcomp>", "{closure}"};

class Namer {
 public:
  explicit Namer(const Profile& profile)
      : profile_(profile), is_anonymous_(profile.functions.size()), around_(profile.functions.size()) {
    for (uint32_t i = 1; i < profile.functions.size(); ++i) {
      const FunctionId id{i};
      const bool has_no_name = std::ranges::find(kAnonymous, function_name(profile, id)) != std::end(kAnonymous);
      is_anonymous_[i] = has_no_name && profile.functions[id].start_line > 0;
      is_needed_ = is_needed_ || is_anonymous_[i];
    }
  }

  bool is_needed() const { return is_needed_; }

  void find_enclosing() {
    for (uint32_t i = 1; i < profile_.stacks.size(); ++i) look_at(profile_.stacks[StackId{i}]);
  }

  // "(anonymous):7 in indexById"; empty where the function has a name already.
  std::string name_of(FunctionId id) const {
    if (!is_anonymous_[raw(id)]) return {};
    std::string name(function_name(profile_, id));
    name += ":" + std::to_string(profile_.functions[id].start_line);
    if (const FunctionId around = around_[raw(id)]; raw(around) != 0) {
      name += " in ";
      name += function_name(profile_, around);
    }
    return name;
  }

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
  std::vector<bool> is_anonymous_;  // by function
  std::vector<FunctionId> around_;  // by function, 0: not known
  std::vector<FunctionId> calls_;   // of the stack being looked at
  bool is_needed_ = false;
};

}  // namespace

std::optional<AnonymousName> parse_anonymous_name(std::string_view name) {
  static constexpr std::string_view kIn = " in ";
  const auto has = [&](std::string_view word) {
    return name.starts_with(word) && name.substr(word.size()).starts_with(':');
  };
  const auto word = std::ranges::find_if(kAnonymous, has);
  if (word == std::end(kAnonymous)) return std::nullopt;
  AnonymousName parsed{.word = *word, .line = 0, .around = {}};
  const std::string_view rest = name.substr(word->size() + 1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), parsed.line);
  const std::string_view tail = rest.substr(static_cast<size_t>(end - rest.data()));
  if (error != std::errc() || parsed.line < 0 || parsed.line > kMostLines) return std::nullopt;
  if (!tail.empty() && !tail.starts_with(kIn)) return std::nullopt;
  if (!tail.empty()) parsed.around = tail.substr(kIn.size());
  return parsed;
}

Profile name_anonymous_functions(Profile profile) {
  Namer namer(profile);
  if (!namer.is_needed()) return profile;
  namer.find_enclosing();

  Profile named;
  Importer importer(profile, named);
  importer.copy_header();
  for (uint32_t i = 1; i < profile.functions.size(); ++i) {
    if (const std::string name = namer.name_of(FunctionId{i}); !name.empty()) importer.rename(FunctionId{i}, name);
  }
  std::vector<int64_t> values(profile.value_types().size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    for (size_t type = 0; type < values.size(); ++type) values[type] = profile.samples.value(row, type);
    named.samples.add(importer.stack(profile.samples.stack(row)), importer.labels(profile.samples.labels(row)), values,
                      profile.samples.time_ns(row));
  }
  return named;
}

}  // namespace atys::reduce
