// SPDX-License-Identifier: Apache-2.0
#include "present/mcp/completions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "present/mcp/protocol/message.h"
#include "present/mcp/resources.h"
#include "reduce/form.h"
#include "verbs/list.h"

namespace atys::present::mcp {

namespace {

constexpr size_t kMostValues = 100;  // the protocol's
constexpr size_t kRecent = 200;      // profiles whose commands are looked at
constexpr std::string_view kCommand = "command ";

void offer(std::vector<std::string>& values, const std::string& typed, std::string value) {
  if (value.starts_with(typed) && std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
}

Result<std::vector<std::string>> ids(const std::string& typed) {
  std::vector<std::string> values;
  const verbs::ListAnswer answer = TRY(verbs::list());
  for (const verbs::ListRow& row : answer.rows) offer(values, typed, row.entry.id);
  return values;
}

Result<std::vector<std::string>> commands(const std::string& typed) {
  std::vector<std::string> values;
  const verbs::ListAnswer answer = TRY(verbs::list({.skip = 0, .most = kRecent}));
  for (const verbs::ListRow& row : answer.rows)
    for (const std::string& target : row.profile.targets)
      // What cannot be shown as it is would be another command.
      if (target.starts_with(kCommand) && printable(target) == target) offer(values, typed, target.substr(kCommand.size()));
  return values;
}

std::vector<std::string> forms(const std::string& typed) {
  std::vector<std::string> values;
  using reduce::Form;
  for (const std::string& form : reduce::names_of({Form::Brief, Form::Lines, Form::Paths, Form::Table, Form::Tree}))
    offer(values, typed, form);
  return values;
}

bool is_template(const std::string& uri) {
  const Json templates = resource_templates();
  return std::ranges::any_of(templates, [&](const Json& one) { return one["uriTemplate"] == uri; });
}

Json invalid(const char* why) { return {{"error", {{"code", kInvalidParams}, {"message", why}}}}; }

}  // namespace

Json complete(const Json& params) {
  const Json& ref = params["ref"];
  const auto argument = params["argument"]["name"].get<std::string>();
  const auto typed = params["argument"]["value"].get<std::string>();
  const bool is_of_resource = ref["type"] == "ref/resource";
  if (is_of_resource && !is_template(ref["uri"].get<std::string>())) return invalid("unknown resource template");
  Result<std::vector<std::string>> found = std::vector<std::string>();
  if (is_of_resource && argument == "id") found = ids(typed);
  if (is_of_resource && argument == "form") found = forms(typed);
  if (!is_of_resource && argument == "command") found = commands(typed);
  if (!found.ok()) return {{"error", {{"code", kInternalError}, {"message", printable(found.error().message)}}}};
  const size_t total = found->size();
  if (total > kMostValues) found->resize(kMostValues);
  return {{"result", {{"completion", {{"values", *found}, {"total", total}, {"hasMore", total > kMostValues}}}}}};
}

}  // namespace atys::present::mcp
