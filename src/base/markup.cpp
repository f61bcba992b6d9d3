// SPDX-License-Identifier: Apache-2.0
#include "base/markup.h"

#include "base/utf8.h"

namespace atys {

std::string escape_markup(std::string_view bytes) {
  const std::string text = printable(bytes);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\xef':
        // U+FFFE and U+FFFF are UTF-8 but no characters.
        if (text.compare(i, 3, "\xef\xbf\xbe") == 0 || text.compare(i, 3, "\xef\xbf\xbf") == 0) {
          out += "\xef\xbf\xbd";
          i += 2;
          break;
        }
        [[fallthrough]];
      default: out.push_back(text[i]);
    }
  }
  return out;
}

std::string script_safe_json(std::string json) {
  // Outside of strings JSON has no `<`, so every one may be written as an escape.
  std::string out;
  size_t begin = 0;
  for (size_t found; (found = json.find('<', begin)) != std::string::npos; begin = found + 1) {
    out.append(json, begin, found - begin).append("\\u003c");
  }
  if (begin == 0) return json;
  return out.append(json, begin);
}

}  // namespace atys
