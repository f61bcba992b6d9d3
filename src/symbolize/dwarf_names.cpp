// SPDX-License-Identifier: Apache-2.0
#include "symbolize/dwarf_names.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "symbolize/demangle.h"
#include "symbolize/dwarf_die.h"

namespace atys::symbolize {

namespace {

constexpr int kMostSteps = 1000;
constexpr size_t kLongestName = size_t{16} << 10;
constexpr int kMostSiblings = 1 << 17;
constexpr int kDeepest = 100;
constexpr std::string_view kCall = "operator()";

// Newer than the header that we are built with.
constexpr int kCpp17 = 0x2b;
constexpr int kCpp20 = 0x2c;

// Empty: parts of units that several share (dwz makes them) do not say it.
std::optional<bool> is_of_cpp(const Dwarf_Die& die) {
  Dwarf_Die copy = die;
  Dwarf_Die unit;
  if (dwarf_diecu(&copy, &unit, nullptr, nullptr) == nullptr) return {};
  switch (dwarf_srclang(&unit)) {
    case -1: return {};
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_ObjC_plus_plus:
    case kCpp17:
    case kCpp20: return true;
    default: return false;
  }
}

bool is_unnamed_type(Dwarf_Die die) {
  const int tag = dwarf_tag(&die);
  return is_dwarf_scope(tag) && tag != DW_TAG_namespace && tag != DW_TAG_module && text_of(&die, DW_AT_name).empty();
}

// A function object that was never given a name: what compilers make of a lambda.
bool is_lambda(const Dwarf_Die& type) {
  bool has_call = false;
  for_each_child(type, [&](Dwarf_Die die, int tag) {
    has_call = has_call || (tag == DW_TAG_subprogram && text_of(&die, DW_AT_name).starts_with(kCall));
  });
  return has_call;
}

// Demanglers count the lambdas of a function, and clang those of a file.
bool mentions_lambda(std::string_view name) {
  return name.find("{lambda(") != std::string_view::npos || name.find("::$_") != std::string_view::npos;
}

// "run(int)" of "run(int)::{lambda(int)#1}::operator()(int) const".
std::string around_lambda(const std::string& name) {
  const size_t call = name.rfind("::operator()");
  const size_t lambda = std::max(name.rfind("::{lambda(", call) + 1, name.rfind("::$_", call) + 1);
  return lambda == 0 ? std::string() : name.substr(0, lambda - 1);
}

// "shop::run::{{closure}}", "shop::run::{closure#0}".
bool is_rust_closure(std::string_view name) {
  const size_t scope = name.rfind("::{");
  return scope != std::string_view::npos && name.ends_with('}') && name.find("closure", scope) != std::string_view::npos;
}

int line_of(Dwarf_Die die) {
  int line = 0;
  return dwarf_decl_line(&die, &line) == 0 ? line : 0;
}

// A type may be told of elsewhere, where it is shared with other units.
int line_of_type(Dwarf_Die type) {
  if (const int line = line_of(type); line > 0) return line;
  const auto whole = referred(&type, DW_AT_signature);
  return whole ? line_of(*whole) : 0;
}

struct Place {
  uint32_t column = 0;
  void* address = nullptr;
};

// The unnamed types that are declared in that line right within `scope`.
void find_types_in_line(const Dwarf_Die& scope, int line, int depth, int& left, std::vector<Place>& found) {
  for_each_child(scope, [&](Dwarf_Die die, int tag) {
    if (--left < 0 || depth > kDeepest) return;
    if (is_dwarf_block(tag)) find_types_in_line(die, line, depth + 1, left, found);
    if (is_dwarf_scope(tag) && line_of_type(die) == line && is_unnamed_type(die))
      found.push_back({number_of(&die, DW_AT_decl_column), die.addr});
  });
}

}  // namespace

DwarfScopes& DwarfNames::scopes_of(const Dwarf_Die& die) {
  const auto found = scopes_.find(die.cu);
  if (found != scopes_.end()) return found->second;
  Dwarf_Die copy = die;
  Dwarf_Die unit = die;
  dwarf_diecu(&copy, &unit, nullptr, nullptr);
  return scopes_.try_emplace(die.cu, unit).first->second;
}

DwarfNames::Name DwarfNames::function(Dwarf_Die die) {
  steps_left_ = kMostSteps;
  asked_ = die;
  Name name = function_name(die);
  if (name.text.size() > kLongestName) name.text.resize(kLongestName);
  return name;
}

DwarfNames::Name DwarfNames::function_name(Dwarf_Die die) {
  if (!has_steps_left()) return {"…"};
  const std::string linkage_name = linkage_name_of(die);
  const std::string name = text_of(&die, DW_AT_name);
  const Dwarf_Die declaration = declaration_of(die);
  if (!is_of_cpp(declaration).value_or(is_of_cpp(asked_).value_or(false)))
    return linkage_name.empty() ? Name{prefix(declaration) + name} : foreign(die, linkage_name);
  if (linkage_name.empty()) {
    // Functions of C, and main().
    auto scope = scope_around(declaration);
    const bool is_in_function_or_type = scope && dwarf_tag(&*scope) != DW_TAG_namespace;
    if (has_flag(&die, DW_AT_external) && !is_in_function_or_type) return {name};
    return composed(declaration, name);
  }
  const std::string text = demangle(linkage_name);
  if (!mentions_lambda(text)) return {text};
  const bool was_nameless = std::exchange(is_nameless_around_, false);
  Name made = composed(declaration, name);
  if (!std::exchange(is_nameless_around_, was_nameless)) return made;
  const size_t own = made.text.rfind("::{lambda}");
  if (made.line == 0 || own == std::string::npos) return {text};
  made.text = around_lambda(text) + made.text.substr(own);
  return made;
}

// Other languages' names are whole, but all closures of a function of Rust share one.
DwarfNames::Name DwarfNames::foreign(Dwarf_Die die, const std::string& linkage_name) {
  Name made{demangle(linkage_name)};
  const int line = line_of(die);
  if (line <= 0 || !is_rust_closure(made.text)) return made;
  made.text += ":" + std::to_string(line);
  made.is_whole = true;
  return made;
}

DwarfNames::Name DwarfNames::composed(const Dwarf_Die& declaration, const std::string& name) {
  const auto scope = scope_around(declaration);
  if (name.starts_with(kCall) && scope && is_unnamed_type(*scope)) {
    const std::string arguments = with_template_arguments(name, declaration).substr(kCall.size());
    return {scope_name(*scope) + arguments, true, line_of_type(*scope)};
  }
  if (!scopes_of(declaration).has_types() && !scopes_of(asked_).has_types()) return {prefix(declaration) + name};
  std::string made = prefix(declaration) + with_template_arguments(name, declaration);
  made += parameters(declaration) + qualifiers(declaration);
  return {std::move(made), true};
}

std::string DwarfNames::prefix(const Dwarf_Die& die) {
  const auto scope = scope_around(die);
  if (!scope || !has_steps_left()) return {};
  return scope_name(*scope) + "::";
}

std::string DwarfNames::scope_name(Dwarf_Die die) {
  const int tag = dwarf_tag(&die);
  if (tag == DW_TAG_subprogram) {
    std::string name = function_name(die).text;
    is_nameless_around_ = is_nameless_around_ || text_of(&die, DW_AT_name).empty();
    return name;
  }
  const Dwarf_Die declaration = declaration_of(die);
  const std::string name = text_of(&die, DW_AT_name);
  if (!name.empty()) return prefix(declaration) + with_template_arguments(name, die);
  const bool is_namespace = tag == DW_TAG_namespace || tag == DW_TAG_module;
  return prefix(declaration) + (is_namespace ? "(anonymous namespace)" : unnamed_type(die));
}

std::string DwarfNames::unnamed_type(const Dwarf_Die& type) {
  const int line = line_of_type(type);
  const std::string what = is_lambda(type) ? "{lambda}" : "{unnamed}";
  return line > 0 ? what + ":" + std::to_string(line) + ordinal_on_its_line(type, line) : what;
}

// "#2" for the second of a line. By columns where the compiler tells them, or else as it lists them.
std::string DwarfNames::ordinal_on_its_line(const Dwarf_Die& type, int line) {
  Dwarf_Die copy = type;
  Dwarf_Die around;
  if (const auto scope = scope_around(type))
    around = *scope;
  else if (dwarf_diecu(&copy, &around, nullptr, nullptr) == nullptr)
    return {};
  std::vector<Place> found;
  int left = kMostSiblings;
  find_types_in_line(around, line, 0, left, found);
  std::stable_sort(found.begin(), found.end(), [](const Place& a, const Place& b) { return a.column < b.column; });
  const auto at = std::find_if(found.begin(), found.end(), [&](const Place& place) { return place.address == type.addr; });
  return at == found.begin() || at == found.end() ? "" : "#" + std::to_string(at - found.begin() + 1);
}

uint64_t DwarfNames::memory_bytes() const {
  uint64_t total = 0;
  for (const auto& [unit, scopes] : scopes_) total += scopes.memory_bytes() + sizeof(DwarfScopes);
  return total;
}

}  // namespace atys::symbolize
