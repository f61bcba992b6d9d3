// SPDX-License-Identifier: Apache-2.0
// Names of functions made from their declarations: "shop::(anonymous namespace)::price(int, char const*)". That is needed
// where debug information has no linkage name to demangle, as gcc has none for what other files cannot see, and for lambdas,
// whose linkage names tell neither where they are nor which: they are named by what is around them and their line,
// "run(int)::{lambda}:42". Written as demanglers write, so that a function has one name whichever way it is found.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "symbolize/dwarf_scopes.h"

namespace atys::symbolize {

class DwarfNames {
 public:
  struct Name {
    std::string text;
    bool is_whole = false;  // scopes and parameters are in it: no symbol says more
    int line = 0;           // where a lambda begins, which compilers tell of its type only; 0: it is none
  };
  // `die` is a function or an inlined call; it lives as long as the debug information that it is of.
  Name function(Dwarf_Die die);
  uint64_t memory_bytes() const;

 private:
  // A type is written around the name of what has it: `left` and `right` of that.
  struct TypeText {
    std::string left;
    std::string right;
  };
  DwarfScopes& scopes_of(const Dwarf_Die& die);
  std::optional<Dwarf_Die> scope_around(const Dwarf_Die& die) { return scopes_of(die).around(die); }

  Name function_name(Dwarf_Die die);
  Name foreign(Dwarf_Die die, const std::string& linkage_name);
  Name composed(const Dwarf_Die& declaration, const std::string& name);
  std::string scope_name(Dwarf_Die die);
  std::string prefix(const Dwarf_Die& die);  // of what is declared there: "shop::Counter::"
  std::string unnamed_type(const Dwarf_Die& type);
  std::string ordinal_on_its_line(const Dwarf_Die& type, int line);

  // In dwarf_type_names.cpp.
  TypeText type(std::optional<Dwarf_Die> die);
  TypeText pointer(Dwarf_Die die, std::string_view sign);
  TypeText member_pointer(Dwarf_Die die);
  std::string whole_type(std::optional<Dwarf_Die> die);
  std::string parameters(const Dwarf_Die& function);
  std::string qualifiers(const Dwarf_Die& function);  // " const"
  std::string parameter(Dwarf_Die die);
  // `name` with its arguments written anew, where the entry says what they are.
  std::string with_template_arguments(const std::string& name, const Dwarf_Die& die);
  std::optional<std::string> template_arguments(const Dwarf_Die& die);
  std::optional<std::string> template_value(Dwarf_Die die);

  // A name may be made to refer to others without end, or to double with each step.
  bool has_steps_left() { return steps_left_ > 0 && steps_left_-- > 0; }

  std::map<Dwarf_CU*, DwarfScopes> scopes_;
  Dwarf_Die asked_{};  // for the function that is asked for, whose unit says what shared parts do not
  int steps_left_ = 0;
  // clang leaves out all about a function that it needs for nothing but a lambda in it.
  bool is_nameless_around_ = false;
};

}  // namespace atys::symbolize
