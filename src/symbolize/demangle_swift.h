// SPDX-License-Identifier: Apache-2.0
// Swift names: the common part of the manglings that begin with $s: modules, nested types, functions and their argument
// labels, accessors, initialisers. Made from the published description of the mangling.
#pragma once

#include <string>
#include <string_view>

namespace atys::symbolize {

// "Module.Type.method(label:)"; empty if the name is not Swift's or not understood.
std::string demangle_swift(std::string_view name);

}  // namespace atys::symbolize
