// SPDX-License-Identifier: Apache-2.0
// Foreign text inside HTML and XML. What comes back holds no character that could end an element, an attribute or a script,
// and none that XML 1.0 forbids.
#pragma once

#include <string>
#include <string_view>

namespace atys {

// For text and for quoted attribute values. Shows what `printable` shows.
std::string escape_markup(std::string_view bytes);

// JSON to be put inside a <script> element: the same JSON, without any `<`.
std::string script_safe_json(std::string json);

}  // namespace atys
