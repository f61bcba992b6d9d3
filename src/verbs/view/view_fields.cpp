// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/view_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/utc_time.h"
#include "reduce/attribution.h"
#include "reduce/form.h"
#include "reduce/pattern.h"

namespace atys::verbs {

namespace {

using Told = std::vector<std::string>;

constexpr std::string_view kOwnCodeGroup = "Own code";
constexpr uint64_t kLongestName = 200;
constexpr uint64_t kLongestPattern = 1000;

Told told_text(const std::string& text) { return text.empty() ? Told() : Told{text}; }

Told told_number(const std::optional<size_t>& number) { return number ? Told{std::to_string(*number)} : Told(); }

Told told_time(const std::optional<int64_t>& ns) {
  return ns ? Told{fmt::format("{}.{:09}", *ns / 1'000'000'000, *ns % 1'000'000'000)} : Told();
}

Result<> set_pattern(std::string& pattern, const std::string& text) {
  TRY(reduce::Pattern::compile(text));
  pattern = text;
  return {};
}

Result<> add_pattern(std::vector<std::string>& patterns, const std::string& text) {
  TRY(reduce::Pattern::compile(text));
  patterns.push_back(text);
  return {};
}

Result<> add_condition(std::vector<reduce::LabelCondition>& conditions, const std::string& text) {
  static constexpr const char* kHint = "write --label KEY=PATTERN";
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return fail(ErrorCode::InvalidInput, "bad label condition '" + text + "': no '='", kHint);
  if (equals == 0) return fail(ErrorCode::InvalidInput, "bad label condition '" + text + "': no key", kHint);
  const std::string pattern = text.substr(equals + 1);
  TRY(reduce::Pattern::compile(pattern));
  conditions.push_back({text.substr(0, equals), pattern});
  return {};
}

Result<size_t> whole_number(const std::string& text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0)
    return fail(ErrorCode::InvalidInput, "'" + text + "' is not a whole number from 1 on");
  return number;
}

Result<bool> truth(const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return fail(ErrorCode::InvalidInput, "'" + text + "' is neither true nor false");
}

std::string escaped_for_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string skin_cell(const ViewField& field, Skin skin) {
  if (!is_offered(field, skin)) return "no: " + std::string(field.hidden->why);
  if (skin == Skin::CommandLine)
    return "`" + option_name(field) + (field.value.empty() ? "" : " " + std::string(field.value)) + "`";
  std::string cell = "`" + std::string(field.name) + "`";
  if (skin == Skin::Tools && field.is_repeated) cell += ", a list";
  if (skin == Skin::Http && !field.old_parameter.empty()) cell += ", `" + std::string(field.old_parameter) + "`";
  return cell;
}

// How the answer is cut.
std::vector<ViewField> how_it_is_told() {
  return {
      {.name = "form",
       .type = FieldType::Form,
       .value = "FORM",
       .text = "Form of the answer",
       .in_short = "form",
       .set = [](View& view, const std::string& text) -> Result<> {
         view.form = TRY(reduce::form_of(text));
         return {};
       },
       .told = [](const View& view) { return view.form == View{}.form ? Told() : Told{to_string(view.form)}; }},
      {.name = "by",
       .value = "DIMENSION",
       .text = "Group by function, line, file, module, thread or label:KEY",
       .in_short = "function, line, file, module, thread or label:KEY",
       .preset = "function",
       .offered = {"function", "line", "file", "module", "thread", "label:"},
       .most = kLongestName,
       .set = [](View& view, const std::string& text) -> Result<> {
         TRY(reduce::parse_dimension(text));
         view.by = text;
         return {};
       },
       .told = [](const View& view) { return view.by == View{}.by ? Told() : Told{view.by}; }},
      {.name = "top",
       .type = FieldType::Number,
       .value = "K",
       .text = "Rows to show",
       .in_short = "rows",
       .preset = "20",
       .most = 10'000,
       .old_parameter = "n",
       .set = [](View& view, const std::string& text) -> Result<> {
         view.top = TRY(whole_number(text));
         return {};
       },
       .told = [](const View& view) { return told_number(view.top); }},
      {.name = "value",
       .value = "TYPE",
       .text = "Value type to look at (default: the profile's own)",
       .in_short = "value type",
       .most = kLongestName,
       .set = [](View& view, const std::string& text) -> Result<> {
         view.value = text;
         return {};
       },
       .told = [](const View& view) { return told_text(view.value); }},
      {.name = "max_tokens",
       .type = FieldType::Number,
       .value = "N",
       .text = "Bound on the length of the answer, in tokens of a language model",
       .in_short = "bound on the answer",
       .least = kLeastTokens,
       .most = 20'000,
       .set = [](View& view, const std::string& text) -> Result<> {
         view.max_tokens = TRY(whole_number(text));
         TRY(bounds_of(view));
         return {};
       },
       .told = [](const View& view) { return told_number(view.max_tokens); }},
      {.name = "full_names",
       .type = FieldType::Flag,
       .text = "Rather leave out rows than shorten names",
       .in_short = "leave out rows, not parts of names",
       .set = [](View& view, const std::string& text) -> Result<> {
         view.full_names = TRY(truth(text));
         return {};
       },
       .told = [](const View& view) { return view.full_names ? Told{"true"} : Told(); }},
  };
}

// What the user knows better than we do.
std::vector<ViewField> whose_code() {
  return {
      {.name = "own",
       .type = FieldType::Pattern,
       .value = "RE",
       .text = "Functions whose name, file, module or build id matches are your own code",
       .in_short = "RE of functions, files, modules that are your code",
       .group = kOwnCodeGroup,
       .is_repeated = true,
       .most = kLongestPattern,
       .set = [](View& view, const std::string& text) { return add_pattern(view.own_code.own, text); },
       .told = [](const View& view) { return view.own_code.own; }},
      {.name = "library",
       .type = FieldType::Pattern,
       .value = "RE",
       .text = "Functions whose name, file, module or build id matches are a library's",
       .in_short = "RE of what is not",
       .group = kOwnCodeGroup,
       .is_repeated = true,
       .most = kLongestPattern,
       .set = [](View& view, const std::string& text) { return add_pattern(view.own_code.library, text); },
       .told = [](const View& view) { return view.own_code.library; }},
  };
}

// What of the profile is looked at.
std::vector<ViewField> which_samples() {
  return {
      {.name = "focus",
       .type = FieldType::Pattern,
       .value = "RE",
       .text = "Only samples with a function, file or module that matches",
       .in_short = "RE: only samples through it",
       .group = kFilterGroup,
       .most = kLongestPattern,
       .set = [](View& view, const std::string& text) { return set_pattern(view.filter.focus, text); },
       .told = [](const View& view) { return told_text(view.filter.focus); }},
      {.name = "ignore",
       .type = FieldType::Pattern,
       .value = "RE",
       .text = "No samples with a function, file or module that matches",
       .in_short = "RE: no samples through it",
       .group = kFilterGroup,
       .most = kLongestPattern,
       .set = [](View& view, const std::string& text) { return set_pattern(view.filter.ignore, text); },
       .told = [](const View& view) { return told_text(view.filter.ignore); }},
      {.name = "leaf",
       .type = FieldType::Pattern,
       .value = "RE",
       .text = "Only samples that end in a function that matches by its name, file or module",
       .in_short = "RE: only samples that end in it",
       .group = kFilterGroup,
       .most = kLongestPattern,
       .set = [](View& view, const std::string& text) { return set_pattern(view.filter.leaf, text); },
       .told = [](const View& view) { return told_text(view.filter.leaf); }},
      {.name = "label",
       .type = FieldType::Condition,
       .value = "K=RE",
       .text = "Only samples whose label K has a value that matches all of RE",
       .in_short = "KEY=RE: only samples with it",
       .group = kFilterGroup,
       .is_repeated = true,
       .most = kLongestPattern,
       .set = [](View& view, const std::string& text) { return add_condition(view.filter.labels, text); },
       .told =
           [](const View& view) {
             Told told;
             for (const auto& label : view.filter.labels) told.push_back(label.key + "=" + label.pattern);
             return told;
           }},
      {.name = "from",
       .type = FieldType::Time,
       .value = "TIME",
       .text = "Only samples from then on (2026-11-15T02:00:00Z, or Unix seconds)",
       .in_short = "only samples since (RFC 3339 or Unix seconds)",
       .group = kFilterGroup,
       .most = kLongestName,
       .hidden = HiddenField{Skin::Http, "there `from` and `to` say which windows"},
       .set = [](View& view, const std::string& text) -> Result<> {
         view.filter.from_ns = TRY(parse_time(text));
         return {};
       },
       .told = [](const View& view) { return told_time(view.filter.from_ns); }},
      {.name = "until",
       .type = FieldType::Time,
       .value = "TIME",
       .text = "Only samples before then",
       .in_short = "only samples before",
       .group = kFilterGroup,
       .most = kLongestName,
       .hidden = HiddenField{Skin::Http, "there `from` and `to` say which windows"},
       .set = [](View& view, const std::string& text) -> Result<> {
         view.filter.to_ns = TRY(parse_time(text));
         return {};
       },
       .told = [](const View& view) { return told_time(view.filter.to_ns); }},
  };
}

}  // namespace

const std::vector<ViewField>& view_fields() {
  static const std::vector<ViewField> kFields = [] {
    std::vector<ViewField> all = how_it_is_told();
    for (auto* more : {whose_code, which_samples})
      for (ViewField& field : more()) all.push_back(std::move(field));
    return all;
  }();
  return kFields;
}

bool is_offered(const ViewField& field, Skin skin) { return !field.hidden || field.hidden->from != skin; }

std::string option_name(const ViewField& field) {
  std::string name = "--" + std::string(field.name);
  std::ranges::replace(name, '_', '-');
  return name;
}

Result<> set_bounded(View& view, const ViewField& field, const std::string& text) {
  if (field.type == FieldType::Number) {
    const size_t number = TRY(whole_number(text));
    if (number < field.least || number > field.most)
      return fail(ErrorCode::InvalidInput, std::string(field.name) + " cannot be " + text,
                  fmt::format("take {} to {}", field.least, field.most));
  } else if (field.most > 0 && text.size() > field.most) {
    return fail(ErrorCode::InvalidInput, std::string(field.name) + " is too long",
                fmt::format("at most {} bytes", field.most));
  }
  const auto set = field.set(view, text);
  if (!set.ok()) return in_context(std::string(field.name), set.error());
  return {};
}

std::string view_fields_as_markdown() {
  std::string table = "| what | option | argument of tools | parameter of HTTP |\n|---|---|---|---|\n";
  for (const ViewField& field : view_fields()) {
    std::string row = "| " + std::string(field.text);
    if (!field.preset.empty()) row += " (default " + std::string(field.preset) + ")";
    for (const Skin skin : {Skin::CommandLine, Skin::Tools, Skin::Http})
      row += " | " + escaped_for_cell(skin_cell(field, skin));
    table += row + " |\n";
  }
  return table;
}

}  // namespace atys::verbs
