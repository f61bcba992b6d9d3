// SPDX-License-Identifier: Apache-2.0
// Names as people wrote them, from the names that linkers see: C++ (Itanium), Rust, D, Swift; Go and C are as they are.
#pragma once

#include <string>
#include <string_view>

namespace atys::symbolize {

// What is not understood is given back as it is. What compilers append to parts and copies of a function (".cold",
// ".isra.0") is left out, and so are thunks, so that these fold into the function. Names may be hostile: bounded in time and
// size.
std::string demangle(std::string_view raw);

// The name without ".cold", ".part.0" and their like, and without a symbol version ("@@GLIBC_2.2").
std::string_view without_clone_suffix(std::string_view raw);

}  // namespace atys::symbolize
