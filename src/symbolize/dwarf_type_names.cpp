// SPDX-License-Identifier: Apache-2.0
// The types in names of functions: of parameters and of template arguments, in the order and with the blanks of demanglers.
#include <dwarf.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/strings.h"
#include "symbolize/dwarf_die.h"
#include "symbolize/dwarf_names.h"

namespace atys::symbolize {

namespace {

// Compilers call these by all their words, demanglers by few.
std::string base_type_name(std::string name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames = {
      {{"long unsigned int", "unsigned long"},
       {"long int", "long"},
       {"short unsigned int", "unsigned short"},
       {"short int", "short"},
       {"long long int", "long long"},
       {"long long unsigned int", "unsigned long long"},
       {"__int128 unsigned", "unsigned __int128"},
       {"_Bool", "bool"}}};
  for (const auto& [written, known] : kNames)
    if (name == written) return std::string(known);
  return name;
}

bool is_function(const std::string& right) { return right.starts_with('('); }
bool is_array(const std::string& right) { return right.starts_with('['); }

// Where the template arguments of a name begin; its end if it has none. Some operators are written with brackets.
size_t length_without_arguments(std::string_view name) {
  size_t from = 0;
  if (name.starts_with("operator")) {
    from = 8;
    while (from < name.size() && std::string_view("<=>-").find(name[from]) != std::string_view::npos) ++from;
  }
  return std::min(name.find('<', from), name.size());
}

bool is_template_parameter(int tag) {
  return tag == DW_TAG_template_type_parameter || tag == DW_TAG_template_value_parameter ||
         tag == DW_TAG_GNU_template_template_param || tag == DW_TAG_GNU_template_parameter_pack;
}

std::optional<Dwarf_Die> type_of(Dwarf_Die& die) { return referred(&die, DW_AT_type); }

// Qualifiers of the parameter itself are nobody's business but the function's.
std::optional<Dwarf_Die> without_qualifiers(std::optional<Dwarf_Die> die) {
  for (int i = 0; die && i < 16; ++i) {
    const int tag = dwarf_tag(&*die);
    if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type) break;
    die = type_of(*die);
  }
  return die;
}

// "[5]", or "[]" where the length is not said.
std::string bounds_of(const Dwarf_Die& array) {
  std::string text;
  for_each_child(array, [&](Dwarf_Die die, int tag) {
    if (tag != DW_TAG_subrange_type) return;
    Dwarf_Attribute found;
    Dwarf_Word count = 0;
    const bool has_bound = dwarf_attr(&die, DW_AT_upper_bound, &found) != nullptr && dwarf_formudata(&found, &count) == 0;
    const bool has_count =
        !has_bound && dwarf_attr(&die, DW_AT_count, &found) != nullptr && dwarf_formudata(&found, &count) == 0;
    text += has_bound || has_count ? "[" + std::to_string(has_bound ? count + 1 : count) + "]" : "[]";
  });
  return text.empty() ? "[]" : text;
}

// How demanglers tell the type of a number.
std::string number_text(const std::string& type, int64_t value) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEndings = {{{"int", ""},
                                                                                             {"unsigned int", "u"},
                                                                                             {"long", "l"},
                                                                                             {"unsigned long", "ul"},
                                                                                             {"long long", "ll"},
                                                                                             {"unsigned long long", "ull"}}};
  if (type == "bool") return value != 0 ? "true" : "false";
  const std::string digits =
      type.starts_with("unsigned") ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value);
  for (const auto& [name, ending] : kEndings)
    if (type == name) return digits + std::string(ending);
  return "(" + type + ")" + digits;
}

}  // namespace

std::string DwarfNames::whole_type(std::optional<Dwarf_Die> die) {
  const TypeText text = type(die);
  return text.left + (is_function(text.right) || is_array(text.right) ? " " : "") + text.right;
}

DwarfNames::TypeText DwarfNames::pointer(Dwarf_Die die, std::string_view sign) {
  TypeText text = type(type_of(die));
  if (is_function(text.right)) return {text.left + " (" + std::string(sign), ")" + text.right};
  if (is_array(text.right)) return {text.left + " (" + std::string(sign), ") " + text.right};
  text.left += sign;
  return text;
}

DwarfNames::TypeText DwarfNames::member_pointer(Dwarf_Die die) {
  const TypeText text = type(type_of(die));
  const std::string sign = whole_type(referred(&die, DW_AT_containing_type)) + "::*";
  if (is_function(text.right)) return {text.left + " (" + sign, ")" + text.right};
  return {text.left + " " + sign, text.right};
}

DwarfNames::TypeText DwarfNames::type(std::optional<Dwarf_Die> die) {
  if (!die) return {"void", ""};
  if (!has_steps_left()) return {"…", ""};
  TypeText text;
  switch (dwarf_tag(&*die)) {
    case DW_TAG_base_type: return {base_type_name(text_of(&*die, DW_AT_name)), ""};
    case DW_TAG_unspecified_type: return {text_of(&*die, DW_AT_name), ""};
    case DW_TAG_pointer_type: return pointer(*die, "*");
    case DW_TAG_reference_type: return pointer(*die, "&");
    case DW_TAG_rvalue_reference_type: return pointer(*die, "&&");
    case DW_TAG_ptr_to_member_type: return member_pointer(*die);
    case DW_TAG_subroutine_type: return {whole_type(type_of(*die)), parameters(*die) + qualifiers(*die)};
    case DW_TAG_array_type: return {whole_type(type_of(*die)), bounds_of(*die)};
    case DW_TAG_typedef:
    case DW_TAG_template_alias:
    case DW_TAG_atomic_type:
    case DW_TAG_restrict_type: return type(type_of(*die));
    case DW_TAG_const_type:
      text = type(type_of(*die));
      text.left += " const";
      return text;
    case DW_TAG_volatile_type:
      text = type(type_of(*die));
      text.left += " volatile";
      return text;
    default: return {scope_name(*die), ""};
  }
}

std::string DwarfNames::parameter(Dwarf_Die die) { return whole_type(without_qualifiers(referred(&die, DW_AT_type))); }

std::string DwarfNames::parameters(const Dwarf_Die& function) {
  std::string list;
  for_each_child(function, [&](Dwarf_Die die, int tag) {
    if (tag == DW_TAG_formal_parameter && !has_flag(&die, DW_AT_artificial)) add_to_list(list, parameter(die));
    if (tag == DW_TAG_unspecified_parameters) add_to_list(list, "...");
    if (tag == DW_TAG_GNU_formal_parameter_pack)
      for_each_child(die, [&](Dwarf_Die of_pack, int) { add_to_list(list, parameter(of_pack)); });
  });
  return "(" + list + ")";
}

// The hidden parameter of a member tells whether it may change the object.
std::string DwarfNames::qualifiers(const Dwarf_Die& function) {
  std::string text;
  bool is_first = true;
  for_each_child(function, [&](Dwarf_Die die, int tag) {
    if (tag != DW_TAG_formal_parameter || !std::exchange(is_first, false) || !has_flag(&die, DW_AT_artificial)) return;
    auto object = without_qualifiers(type_of(die));
    if (!object || dwarf_tag(&*object) != DW_TAG_pointer_type) return;
    object = type_of(*object);
    for (int i = 0; object && i < 4; ++i) {
      const int of = dwarf_tag(&*object);
      if (of == DW_TAG_const_type) text += " const";
      if (of == DW_TAG_volatile_type) text += " volatile";
      if (of != DW_TAG_const_type && of != DW_TAG_volatile_type) break;
      object = type_of(*object);
    }
  });
  Dwarf_Die copy = function;
  if (has_flag(&copy, DW_AT_reference)) text += " &";
  if (has_flag(&copy, DW_AT_rvalue_reference)) text += " &&";
  return text;
}

std::optional<std::string> DwarfNames::template_value(Dwarf_Die die) {
  Dwarf_Attribute found;
  Dwarf_Sword value = 0;
  auto of = type_of(die);
  if (!of || dwarf_attr(&die, DW_AT_const_value, &found) == nullptr) return {};
  const std::string type_text = whole_type(of);
  // An unsigned number of one byte reads as a signed one otherwise.
  Dwarf_Word word = 0;
  const bool is_read = type_text.starts_with("unsigned") || type_text == "bool" ? dwarf_formudata(&found, &word) == 0
                                                                                : dwarf_formsdata(&found, &value) == 0;
  if (!is_read) return {};
  return number_text(type_text, word != 0 ? static_cast<int64_t>(word) : value);
}

std::optional<std::string> DwarfNames::template_arguments(const Dwarf_Die& die) {
  std::string list;
  std::set<std::string> names;
  bool is_template = false;
  bool is_readable = true;
  for_each_child(die, [&](Dwarf_Die child, int tag) {
    std::optional<std::string> text;
    // gcc tells those of generic lambdas twice.
    const std::string name = is_template_parameter(tag) ? text_of(&child, DW_AT_name) : std::string();
    if (!name.empty() && !names.insert(name).second) return;
    switch (tag) {
      case DW_TAG_template_type_parameter: text = whole_type(referred(&child, DW_AT_type)); break;
      case DW_TAG_template_value_parameter: text = template_value(child); break;
      case DW_TAG_GNU_template_template_param: text = text_of(&child, DW_AT_GNU_template_name); break;
      case DW_TAG_GNU_template_parameter_pack: text = template_arguments(child).value_or(""); break;
      default: return;
    }
    is_template = true;
    is_readable = is_readable && text;
    if (text && !text->empty()) add_to_list(list, *text);
  });
  return is_template && is_readable ? std::optional(list) : std::nullopt;
}

std::string DwarfNames::with_template_arguments(const std::string& name, const Dwarf_Die& die) {
  const size_t length = length_without_arguments(name);
  const auto arguments = template_arguments(die);
  if (!arguments) return name;
  return name.substr(0, length) + "<" + *arguments + (arguments->ends_with('>') ? " >" : ">");
}

}  // namespace atys::symbolize
