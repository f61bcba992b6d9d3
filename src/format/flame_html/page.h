// SPDX-License-Identifier: Apache-2.0
// The flame graph page: the files page.html, page.css and *.js of this folder, embedded at build time.
#pragma once

#include <string>
#include <string_view>

namespace atys::format::flame_html {

// With {{title}}, {{style}}, {{data}}, {{kind_hues}} and {{script}} to be filled in.
extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageScript;

// `title` is any text, `json` what page_data.h makes.
std::string assemble_page(std::string_view title, std::string_view json);

}  // namespace atys::format::flame_html
