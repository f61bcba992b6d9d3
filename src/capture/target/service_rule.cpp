// SPDX-License-Identifier: Apache-2.0
#include "capture/target/service_rule.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/path_names.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "capture/target/service_program.h"

namespace atys::capture {

namespace {

using Field = ServiceRule::Field;
using Condition = ServiceRule::Condition;

constexpr size_t kLongestComm = 15;  // the kernel cuts names there

// A condition as typed, its quotes taken off, and where each part began.
struct Word {
  std::string text;
  size_t column = 0;
  size_t operator_at = std::string::npos;  // of the first = or ~ that was not quoted
};

Error bad_rule(std::string_view rule, size_t column, const std::string& why) {
  return fail(
      ErrorCode::InvalidInput, "service rule '" + std::string(rule) + "', column " + std::to_string(column) + ": " + why,
      "write NAME, command~REGEX, exe=GLOB, cgroup=GLOB, env:NAME=VALUE, port=NUMBER, user=NAME, runs=GLOB, folder=GLOB or "
      "in=GLOB");
}

Result<std::vector<Word>> split(std::string_view rule) {
  std::vector<Word> words;
  bool in_word = false;
  for (size_t i = 0; i < rule.size(); ++i) {
    const char c = rule[i];
    if (c == '\0') return bad_rule(rule.substr(0, i), i + 1, "a zero byte");
    if (c == ' ' || c == '\t' || c == '\n') {
      in_word = false;
      continue;
    }
    if (!in_word) words.push_back({{}, i + 1});
    in_word = true;
    Word& word = words.back();
    if (c == '"' || c == '\'') {
      const size_t end = rule.find(c, i + 1);
      if (end == std::string_view::npos) return bad_rule(rule, i + 1, "a quote that does not end");
      word.text += rule.substr(i + 1, end - i - 1);
      i = end;
      continue;
    }
    if ((c == '=' || c == '~') && word.operator_at == std::string::npos) word.operator_at = word.text.size();
    word.text += c;
  }
  return words;
}

std::shared_ptr<const re2::RE2> compile(const std::string& expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{8} << 20);
  options.set_dot_nl(true);
  // Command lines and paths are bytes.
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  return std::make_shared<const re2::RE2>(expression, options);
}

// '*' and '?' stand for slashes too; '[…]' is a class. As an expression, because RE2 takes linear time and fnmatch may not.
std::string expression_of(std::string_view glob) {
  std::string expression;
  for (size_t i = 0; i < glob.size(); ++i) {
    const size_t end = glob[i] == '[' ? glob.find(']', i + 2) : std::string_view::npos;
    if (glob[i] == '*') {
      expression += ".*";
    } else if (glob[i] == '?') {
      expression += '.';
    } else if (end != std::string_view::npos) {
      const bool is_negated = glob[i + 1] == '!' || glob[i + 1] == '^';
      const size_t from = i + (is_negated ? 2 : 1);
      expression += is_negated ? "[^" : "[";
      for (const char c : glob.substr(from, end - from))
        expression += c == '\\' || c == '[' ? std::string("\\") + c : std::string(1, c);
      expression += ']';
      i = end;
    } else {
      expression += re2::RE2::QuoteMeta(re2::StringPiece(glob.data() + i, 1));
    }
  }
  return expression;
}

struct KnownField {
  std::string_view name;
  char operation;
  Field field;
};
constexpr KnownField kFields[] = {
    {"command", '~', Field::Command}, {"exe", '=', Field::Executable}, {"cgroup", '=', Field::Cgroup},
    {"env", '=', Field::Environment}, {"port", '=', Field::Port},      {"user", '=', Field::User},
    {"runs", '=', Field::Program},    {"folder", '=', Field::Folder},  {"in", '=', Field::Place},
};

std::string expression_for(Field field, const std::string& value) {
  switch (field) {
    case Field::Command: return value;
    case Field::Executable: return (value.find('/') == std::string::npos ? "(?:.*/)?" : "") + expression_of(value);
    case Field::Cgroup: return (value.starts_with('/') ? "" : "(?:.*/)?") + expression_of(value) + "(?:/.*)?";
    case Field::Program:
    case Field::Folder:
    case Field::Place: return expression_of(value);
    default: return {};
  }
}

bool may_be_empty(Field field) { return field == Field::Environment || field == Field::Folder || field == Field::Place; }
bool has_pattern(Field field) {
  return field == Field::Command || field == Field::Executable || field == Field::Cgroup || field == Field::Program ||
         field == Field::Folder || field == Field::Place;
}

// Checks the value; what is wrong with it, empty if nothing.
std::string complete(Condition& condition) {
  if (condition.value.empty() && !may_be_empty(condition.field)) return "nothing to compare with";
  if (condition.field == Field::Port) {
    const char* end = condition.value.data() + condition.value.size();
    const auto [stop, error] = std::from_chars(condition.value.data(), end, condition.port);
    if (error != std::errc{} || stop != end || condition.port == 0)
      return "'" + condition.value + "' is not a port (1 to 65535)";
  }
  if (has_pattern(condition.field)) {
    condition.pattern = compile(expression_for(condition.field, condition.value));
    if (!condition.pattern->ok()) return "'" + condition.value + "': " + condition.pattern->error();
  }
  return {};
}

Result<Condition> parse_condition(std::string_view rule, const Word& word) {
  Condition condition;
  if (word.operator_at == std::string::npos) {
    condition.value = word.text;
    if (word.text.empty()) return bad_rule(rule, word.column, "an empty name");
    if (word.text.find('/') != std::string::npos)
      return bad_rule(rule, word.column, "'" + word.text + "' is a path; did you mean exe=" + word.text + "?");
    return condition;
  }
  const char operation = word.text[word.operator_at];
  std::string name = word.text.substr(0, word.operator_at);
  condition.value = word.text.substr(word.operator_at + 1);
  if (name.starts_with("env:")) {
    condition.key = name.substr(4);
    if (condition.key.empty()) return bad_rule(rule, word.column, "'env:' without the name of a variable");
    name = "env";
  } else if (name == "env") {
    return bad_rule(rule, word.column, "'env' names no variable: write env:NAME=VALUE");
  }
  const auto known = std::ranges::find(kFields, name, &KnownField::name);
  if (known == std::end(kFields)) return bad_rule(rule, word.column, "unknown condition '" + name + "'");
  if (known->operation != operation)
    return bad_rule(rule, word.column + word.operator_at, "'" + name + "' is compared with '" + known->operation + "'");
  condition.field = known->field;
  if (const std::string why = complete(condition); !why.empty())
    return bad_rule(rule, word.column + word.operator_at + 1, why);
  return condition;
}

bool is_unit(std::string_view folder) {
  return folder.ends_with(".service") || folder.ends_with(".slice") || folder.ends_with(".scope");
}

bool has_name(const linux::ProcessInfo& process, const std::string& name) {
  const auto is_it = [&](const std::string& candidate) { return candidate == name || candidate == name + ".service"; };
  if (std::ranges::any_of(names_of(process), is_it)) return true;
  return process.comm.size() == kLongestComm && name.starts_with(process.comm);
}

bool holds(const Condition& condition, const linux::ProcessInfo& process, ProcessFacts& facts) {
  switch (condition.field) {
    case Field::Name: return has_name(process, condition.value);
    case Field::Command: return re2::RE2::PartialMatch(joined(process.command_line, " "), *condition.pattern);
    case Field::Executable: return re2::RE2::FullMatch(process.executable, *condition.pattern);
    case Field::Cgroup: return re2::RE2::FullMatch(process.cgroup, *condition.pattern);
    case Field::Environment: {
      const auto variables = facts.environment(process.pid);
      return std::ranges::count(variables, condition.key + "=" + condition.value) > 0;
    }
    case Field::Port: return facts.listens_on(process.pid, condition.port);
    case Field::User:
      return condition.value == std::to_string(process.uid) || condition.value == facts.user_name(process.uid);
    case Field::Program: return re2::RE2::FullMatch(program_name(process), *condition.pattern);
    case Field::Folder: return re2::RE2::FullMatch(program_folder(process, facts), *condition.pattern);
    case Field::Place: return re2::RE2::FullMatch(place_of(process, facts), *condition.pattern);
  }
  return false;
}

}  // namespace

Result<ServiceRule> ServiceRule::parse(std::string_view text) {
  ServiceRule rule;
  rule.text_ = text;
  for (const Word& word : TRY(split(text))) rule.conditions_.push_back(TRY(parse_condition(text, word)));
  if (rule.conditions_.empty()) return bad_rule(text, 1, "it has no condition");
  return rule;
}

std::set<uint16_t> ServiceRule::ports() const {
  std::set<uint16_t> ports;
  for (const Condition& condition : conditions_)
    if (condition.field == Field::Port) ports.insert(condition.port);
  return ports;
}

bool matches(const ServiceRule& rule, const linux::ProcessInfo& process, ProcessFacts& facts) {
  const auto does_hold = [&](const Condition& condition) { return holds(condition, process, facts); };
  return std::ranges::all_of(rule.conditions(), does_hold) && !facts.is_ourselves(process);
}

// Signs of a pattern stand for themselves in a class of their own. Quotes have no escapes: one kind stands within the other.
// Bytes that are no text could not be written into a task: any byte will do for them.
std::string exactly(std::string_view text) {
  const bool is_text = is_utf8(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"')
      out += "\"'\"'\"";
    else if (!is_text && static_cast<unsigned char>(c) >= 0x80)
      out += '?';
    else if (c == '*' || c == '?' || c == '[')
      out += std::string("[") + c + "]";
    else
      out += c;
  }
  return out + "\"";
}

std::vector<std::string> names_of(const linux::ProcessInfo& process) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (!name.empty() && std::ranges::count(names, name) == 0) names.emplace_back(name);
  };
  add(base_name(process.executable));
  add(process.comm);
  std::string_view path = process.cgroup;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view folder = path.substr(0, slash);
    if (is_unit(folder)) add(folder);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return names;
}

}  // namespace atys::capture
