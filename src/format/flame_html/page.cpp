// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page.h"

#include "base/json.h"
#include "base/markup.h"
#include "language/languages.h"

namespace atys::format::flame_html {

namespace {

// {"kernel":30,…}: what colours frames by their kind.
std::string kind_hues() {
  JsonWriter json;
  json.begin_object();
  for (const language::KnownKind& kind : language::all_frame_kinds()) json.field(kind.facts->name, kind.facts->hue);
  return json.end_object().take();
}

}  // namespace

std::string assemble_page(std::string_view title, std::string_view json) {
  const std::string safe_title = escape_markup(title);
  const std::string safe_json = script_safe_json(std::string(json));
  const std::string hues = kind_hues();
  const auto content_of = [&](std::string_view slot) -> std::string_view {
    if (slot == "title") return safe_title;
    if (slot == "style") return kPageCss;
    if (slot == "data") return safe_json;
    if (slot == "kind_hues") return hues;
    return kPageScript;
  };
  std::string page;
  page.reserve(kPageHtml.size() + kPageCss.size() + kPageScript.size() + safe_json.size() + safe_title.size());
  // Slots are looked for in the template only, never in what was filled in.
  std::string_view rest = kPageHtml;
  for (size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const size_t close = rest.find("}}", open);
    page.append(rest.substr(0, open));
    page.append(content_of(rest.substr(open + 2, close - open - 2)));
    rest.remove_prefix(close + 2);
  }
  return page.append(rest);
}

}  // namespace atys::format::flame_html
