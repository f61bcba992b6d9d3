// SPDX-License-Identifier: Apache-2.0
// What of a function's name is the same in another build, another run and another version of its runtime. Names are foreign
// text: each of these gives something back for any bytes, in one pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atys::reduce::matching {

// Without what is made anew by each build or run and tells nothing: Rust's hashes ("run::h0123456789abcdef"), the numbers of
// classes that Java makes as it runs ("A$$Lambda$14/0x00007f…"), addresses of objects, the tier of JavaScript's compiler
// ("JS:*f"). Functions whose names are the same then are one function.
std::string name_in_any_build(std::string_view name);

// Without what may change while the function stays: parameters, template arguments, the suffix of a compiler's clone
// ("f.isra.0"), the major version in a path of Go. Two functions of one program may come to the same.
std::string loose_name(std::string_view name);

// "trim" of Urlizer.trim, of Urlizer::trim and of Urlizer#trim; what older versions of a runtime call it.
std::string_view last_part(std::string_view name);

// Whether the name says where it belongs: by a namespace, a class, or the path of a package.
bool is_qualified(std::string_view name);
// … and so that there is but one of it in a program: "ns::f", "net/http.Get", "java.util.HashMap.put".
bool says_its_package(std::string_view name);

// A name with its place in it, as some tools write where their format has no room for it:
// "dumps (/usr/lib/python3.11/json/__init__.py:183)", "py::f:/app/x.py", "JS:~f /app/x.js:12:3".
struct NameAndPlace {
  std::string_view name;
  std::string_view file;
  int64_t line = 0;
};
std::optional<NameAndPlace> place_in_name(std::string_view name);

}  // namespace atys::reduce::matching
