// SPDX-License-Identifier: Apache-2.0
// The fields of a view, a row for each: what it is called, what it may be, how it is set and told. Options of the command
// line (cli/view_options.h) with their completion and manual pages, arguments of tools (present/mcp/tools/view_arguments.h),
// parameters of the HTTP API and inputs of its page (present/web/parameters.h) and the table of docs/guide/view.md follow
// from these rows. So a new field is a member of View or of what View holds, what it does there, and a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verbs/view/view.h"

namespace atys::verbs {

enum class FieldType {
  Form,  // one of those that the verb has
  Text,
  Pattern,    // a regular expression
  Condition,  // KEY=PATTERN
  Number,
  Time,
  Flag,  // "true" or "false"
};

// Where a view comes from.
enum class Skin { CommandLine, Tools, Http };

struct HiddenField {
  Skin from;
  std::string_view why;
};

struct ViewField {
  std::string_view name;  // of the argument and the parameter: "max_tokens"; the option is --max-tokens
  FieldType type = FieldType::Text;
  std::string_view value = {};     // what a value of it is called in help: "RE"
  std::string_view text = {};      // what it does: a sentence without its full stop
  std::string_view in_short = {};  // the same for clients, who pay for each word in every session
  std::string_view group = {};     // under which heading of help; empty: beside the verb's own options
  std::string_view preset = {};    // what holds where nothing is said; of a number, where nothing else bounds it either
  bool is_repeated = false;
  std::vector<std::string> offered = {};  // for completion; a word that ends in a colon wants something behind it
  uint64_t least = 1;                     // of a number
  uint64_t most = 0;                      // of a number, or bytes of a text, for those who are not at this machine's shell
  std::string_view old_parameter = {};    // HTTP takes it by this name as well
  std::optional<HiddenField> hidden = {};

  // One value; of a repeated field, one more.
  Result<> (*set)(View& view, const std::string& text) = nullptr;
  // As set() takes them; none: the view has what View{} has.
  std::vector<std::string> (*told)(const View& view) = nullptr;
};

const std::vector<ViewField>& view_fields();

// Fields of this group say which samples are looked at; verbs that write profiles take them alone.
inline constexpr std::string_view kFilterGroup = "Filter";
inline bool is_of_filter(const ViewField& field) { return field.group == kFilterGroup; }

bool is_offered(const ViewField& field, Skin skin);

// "--max-tokens"
std::string option_name(const ViewField& field);

// As set(), of somebody who may be anybody: numbers and texts have bounds.
Result<> set_bounded(View& view, const ViewField& field, const std::string& text);

// The rows as a table for people: docs/guide/view.md has it.
std::string view_fields_as_markdown();

}  // namespace atys::verbs
