// SPDX-License-Identifier: Apache-2.0
#include "fleet/yaml_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace atys::fleet {

namespace {

constexpr size_t kLongest = 1 << 20;
constexpr int kDeepest = 16;
constexpr size_t kMostNodes = 20000;

std::string place(std::string_view where, const YAML::Mark& mark) {
  return mark.is_null() ? std::string(where) : fmt::format("{}:{}", where, mark.line + 1);
}

// Aliases make a small text stand for a large tree: nodes are counted as often as they are met.
bool within_limits(const YAML::Node& node, int depth, size_t& nodes) {
  if (++nodes > kMostNodes || depth > kDeepest) return false;
  if (node.IsSequence())
    return std::all_of(node.begin(), node.end(), [&](const auto& item) { return within_limits(item, depth + 1, nodes); });
  if (node.IsMap())
    return std::all_of(node.begin(), node.end(), [&](const auto& item) {
      return within_limits(item.first, depth + 1, nodes) && within_limits(item.second, depth + 1, nodes);
    });
  return true;
}

// Too deep to be handed to a parser that recurses.
bool nests_too_deep(const std::string& text) {
  int open = 0;
  for (const char c : text) {
    open += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (open > 4 * kDeepest) return true;
  }
  size_t line_start = 0;
  while (line_start < text.size()) {
    const size_t end = std::min(text.find('\n', line_start), text.size());
    const size_t first = std::min(text.find_first_not_of(" -", line_start), end);
    if (first - line_start > 200) return true;  // as far as blocks and lists of lists may be indented
    line_start = end + 1;
  }
  return false;
}

}  // namespace

Result<YAML::Node> YamlFields::parse(const std::string& text, std::string_view where) {
  if (text.size() > kLongest || nests_too_deep(text))
    return fail(ErrorCode::InvalidInput, fmt::format("{}: too long or too deep for a task", where), "see atys task --help");
  try {
    YAML::Node root = YAML::Load(text);
    size_t nodes = 0;
    if (within_limits(root, 0, nodes)) return root;
    return fail(ErrorCode::InvalidInput, fmt::format("{}: too large for a task", where), "see atys task --help");
  } catch (const YAML::Exception& why) {
    return fail(ErrorCode::InvalidInput, fmt::format("{}: not YAML: {}", place(where, why.mark), why.msg), "mend this line");
  }
}

Result<YamlFields> YamlFields::of(const YAML::Node& node, std::string_view where, std::string_view what) {
  YamlFields fields(node, where, what);
  if (!node.IsMap()) return fields.error(node, fmt::format("{} is no list of fields", what), "write `field: value` lines");
  std::set<std::string> seen;
  for (const auto& item : node) {
    if (!item.first.IsScalar()) return fields.error(item.first, "the name of a field is no text");
    if (!seen.insert(item.first.Scalar()).second)
      return fields.error(item.first, fmt::format("'{}' is there twice", item.first.Scalar()));
  }
  return fields;
}

Error YamlFields::error(const YAML::Node& at, const std::string& message, const std::string& hint) const {
  return fail(ErrorCode::InvalidInput, fmt::format("{}: {}", place(where_, at.Mark()), message), hint);
}

bool YamlFields::has(const std::string& field) const { return static_cast<const YAML::Node&>(node_)[field].IsDefined(); }

YAML::Node YamlFields::node(const std::string& field) {
  known_.insert(field);
  return static_cast<const YAML::Node&>(node_)[field];
}

Result<> YamlFields::text(const std::string& field, const std::function<Result<>(const std::string&)>& read) {
  const YAML::Node value = node(field);
  if (!value.IsDefined()) return {};
  if (!value.IsScalar()) return error(value, fmt::format("{} is no single value", field));
  if (Result<> done = read(value.Scalar()); !done.ok())
    return error(value, fmt::format("{}: {}", field, done.error().message), done.error().hint);
  return {};
}

Result<> YamlFields::texts(const std::string& field, std::vector<std::string>& into) {
  const YAML::Node value = node(field);
  if (!value.IsDefined()) return {};
  into.clear();
  if (value.IsScalar()) {
    into.push_back(value.Scalar());
    return {};
  }
  if (!value.IsSequence()) return error(value, fmt::format("{} is no list", field), "write [one, two]");
  for (const auto& item : value) {
    if (!item.IsScalar()) return error(item, fmt::format("{} has something in it that is no text", field));
    into.push_back(item.Scalar());
  }
  return {};
}

Result<> YamlFields::must_have(const std::string& field) const {
  if (has(field)) return {};
  return error(node_, fmt::format("{} has no '{}'", what_, field), fmt::format("add `{}: …`", field));
}

Result<> YamlFields::end() const {
  for (const auto& item : node_) {
    const std::string& name = item.first.Scalar();
    if (known_.contains(name)) continue;
    return error(item.first, fmt::format("{} has no field '{}'", what_, name), "its fields are " + joined(known_));
  }
  return {};
}

}  // namespace atys::fleet
