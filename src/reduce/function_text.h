// SPDX-License-Identifier: Apache-2.0
// What a function's name says about it, whatever the language: the package it belongs to, and a name that fits a small box.
// Names are foreign text: both look only at punctuation, in one pass, and give something back for any bytes.
#pragma once

#include <string>
#include <string_view>

namespace atys::reduce {

// "net/http" of net/http.(*conn).serve, "std" of std::vector<int>::at, "java.util" of java.util.HashMap.put; a name that
// says nothing gives the base name of `module`, else of `file`. May be empty.
std::string package_of(std::string_view name, std::string_view file, std::string_view module);

// Without what a virtual machine puts into names at run time, so that two runs have one name for a function: addresses of
// hidden classes and numbers of generated ones. "Order$$Lambda$89/0x00007fad64008240.apply" → "Order$$Lambda.apply".
std::string stable_name(std::string_view name);

// "http.(*conn).serve", "vector::at", "HashMap.put": without what is said by the package, by templates and by parameters.
std::string short_name(std::string_view name);

// "std::map::at" of std::map<int, foo>::at(int) const: without template arguments and parameters. Empty if the brackets do
// not match. What is declared in a function keeps its name, "f::{lambda}:7" of f(int)::{lambda}:7, unless
// `stops_at_function`.
std::string without_arguments(std::string_view name, bool stops_at_function = false);

}  // namespace atys::reduce
