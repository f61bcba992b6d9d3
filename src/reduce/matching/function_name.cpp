// SPDX-License-Identifier: Apache-2.0
#include "reduce/matching/function_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "reduce/anonymous.h"
#include "reduce/function_text.h"

namespace atys::reduce::matching {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHex = "0123456789abcdefABCDEF";

bool has_only(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

void cut_all(std::string& text, std::string_view before, std::string_view cut_characters, size_t least) {
  for (size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const size_t begin = at + before.size();
    const size_t end = std::min(text.find_first_not_of(cut_characters, begin), text.size());
    if (end - begin >= least) text.erase(begin, end - begin);
  }
}

// "f::h0123456789abcdef", and "core[5f4b1c2d3e4f5a6b]::fmt" of the newer way.
void cut_rust_hash(std::string& name) {
  static constexpr size_t kLength = 16;
  const size_t at = name.rfind("::h");
  if (at != std::string::npos && name.size() == at + 3 + kLength && has_only(std::string_view(name).substr(at + 3), kHex))
    name.erase(at);
  for (size_t open = name.find('['); open != std::string::npos; open = name.find('[', open + 1)) {
    const size_t close = name.find(']', open);
    if (close == std::string::npos) return;
    const std::string_view inside = std::string_view(name).substr(open + 1, close - open - 1);
    if (inside.size() >= 12 && has_only(inside, kHex)) name.erase(open, close + 1 - open);
  }
}

void cut_java_numbers(std::string& name) {
  for (const std::string_view made : {"$$Lambda$", "$Proxy", "MethodAccessor", "ConstructorAccessor", "$$Lambda/0x",
                                      "$$Lambda.0x", "$MH/0x", "$MH.0x", "$DMH/0x", "$DMH.0x", "CGLIB$$"})
    cut_all(name, made, kHex, 1);
  cut_all(name, "/0x", kHex, 6);
}

void cut_tier(std::string& name) {
  for (const std::string_view made : {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"}) {
    if (!name.starts_with(made) || name.size() <= made.size()) continue;
    if (std::string_view("*~^+'").find(name[made.size()]) != std::string_view::npos) name.erase(made.size(), 1);
  }
}

// "f.isra.0", "f.part.3.cold", "f [clone .constprop.0]", "f.llvm.123": what a compiler made of f.
std::string_view without_clone(std::string_view name) {
  if (const size_t at = name.find(" [clone "); at != std::string_view::npos) name = name.substr(0, at);
  for (const std::string_view suffix : {".isra.", ".part.", ".constprop.", ".cold", ".lto_priv.", ".llvm.", ".localalias"})
    if (const size_t at = name.find(suffix); at != std::string_view::npos && at > 0) name = name.substr(0, at);
  return name;
}

// "github.com/a/b/v2.F" and "gopkg.in/yaml.v3.F" without the version.
std::string without_major_version(std::string name) {
  for (const std::string_view mark : {"/v", ".v"}) {
    if (name.find('/') == std::string::npos) return name;
    const size_t at = name.find(mark);
    if (at == std::string::npos) continue;
    const size_t end = std::min(name.find_first_not_of(kDigits, at + 2), name.size());
    if (end > at + 2 && end < name.size() && (name[end] == '.' || name[end] == '/')) name.erase(at, end - at);
  }
  return name;
}

// Takes ":12" or ":12:3" off the end; the line is the first of them.
int64_t take_line(std::string_view& text) {
  int64_t line = 0;
  for (int i = 0; i < 2; ++i) {
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !has_only(text.substr(colon + 1), kDigits)) break;
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
    text = text.substr(0, colon);
  }
  return line <= kMostLines ? line : 0;
}

// "java.util.HashMap.put": packages in lower case, then a class.
bool is_java_name(std::string_view name) {
  if (name.empty() || std::islower(static_cast<unsigned char>(name.front())) == 0) return false;
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
    if (dot + 1 < name.size() && std::isupper(static_cast<unsigned char>(name[dot + 1])) != 0)
      return name.find('.', dot + 1) != std::string_view::npos;
  return false;
}

bool is_file(std::string_view text) {
  const size_t dot = text.rfind('.');
  return !text.empty() && text.find_first_of("();") == std::string_view::npos &&
         (text.find('/') != std::string_view::npos || (dot != std::string_view::npos && dot > 0 && text.size() - dot <= 6));
}

}  // namespace

std::string name_in_any_build(std::string_view name) {
  std::string lasting(name);
  if (const size_t at = lasting.find(".llvm."); at != std::string::npos && at > 0) lasting.erase(at);
  cut_rust_hash(lasting);
  if (lasting.find('$') != std::string::npos || lasting.find("/0x") != std::string::npos) cut_java_numbers(lasting);
  cut_all(lasting, " at 0x", kHex, 6);
  cut_all(lasting, "#<Class:0x", kHex, 6);
  cut_tier(lasting);
  return lasting;
}

std::string loose_name(std::string_view name) {
  std::string loose(without_clone(name));
  for (size_t at = loose.find("[abi:"); at != std::string::npos; at = loose.find("[abi:"))
    loose.erase(at, loose.find(']', at) == std::string::npos ? std::string::npos : loose.find(']', at) + 1 - at);
  loose = without_major_version(std::move(loose));
  // A method of Go has brackets of its own, "(*T).f"; so have names without a name.
  const bool has_scopes = loose.find("::") != std::string::npos;
  const bool has_parameters = !loose.empty() && !loose.starts_with('(') && !loose.starts_with('<') && loose.ends_with(')');
  if (!has_scopes && !has_parameters) return loose;
  std::string plain = without_arguments(loose);
  // Of "<T as Display>::fmt" and "ns::<impl From<T> for U>::from" nothing would be left that tells whose they are.
  const bool is_nobodys = plain.empty() || plain.starts_with("::") || plain.find("::::") != std::string::npos;
  return is_nobodys ? loose : plain;
}

std::string_view last_part(std::string_view name) {
  // Brackets hold dots of their own: "f(a.b)", "wrap.<locals>.g".
  const size_t end = std::min(name.find('('), name.size());
  const size_t at = name.substr(0, end == 0 ? name.size() : end).find_last_of(".#:");
  return at == std::string_view::npos || at + 1 >= name.size() ? name : name.substr(at + 1);
}

bool is_qualified(std::string_view name) { return last_part(name).size() < name.size(); }

bool says_its_package(std::string_view name) {
  if (name.find("::") != std::string_view::npos) return name.find("(anonymous namespace)") == std::string_view::npos;
  const std::string_view head = name.substr(0, std::min(name.find_first_of("(<"), name.size()));
  const size_t slash = head.find('/');
  if (slash != std::string_view::npos && slash > 0) return head.find('.', slash) != std::string_view::npos;
  return is_java_name(head);
}

std::optional<NameAndPlace> place_in_name(std::string_view name) {
  NameAndPlace found;
  if (name.starts_with("py::")) {
    const size_t colon = name.find(':', 4);
    if (colon == std::string_view::npos) return std::nullopt;
    found = {name.substr(4, colon - 4), name.substr(colon + 1), 0};
  } else if (const size_t open = name.rfind(" ("); open != std::string_view::npos && open > 0 && name.ends_with(')')) {
    found = {name.substr(0, open), name.substr(open + 2, name.size() - open - 3), 0};
  } else if (const size_t blank = name.rfind(' '); blank != std::string_view::npos && blank > 0) {
    found = {name.substr(0, blank), name.substr(blank + 1), 0};
    std::string_view rest = found.file;
    if (take_line(rest) == 0) return std::nullopt;  // "operator new", "unsigned f"
  } else {
    return std::nullopt;
  }
  found.line = take_line(found.file);
  if (!is_file(found.file)) return std::nullopt;
  return found;
}

}  // namespace atys::reduce::matching
