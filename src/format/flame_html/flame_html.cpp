// SPDX-License-Identifier: Apache-2.0
// html: a flame graph as one page that needs nothing else, neither network nor other files. For people, so it cannot be read
// back.
#include "format/flame_html/page.h"
#include "format/flame_html/page_data.h"
#include "format/format.h"

namespace atys::format {

namespace {

class FlameHtmlFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "html",
        .extensions = {".html", ".htm"},
        .media_type = "text/html; charset=utf-8",
        .description = "interactive flame graph in one self-contained page",
        .can_write = true,
        .can_compare = true,
        .keeps = {.all_value_types = true, .places = true, .kinds = true, .times = true},
    };
    return descriptor;
  }

  Result<> write(const Profile& profile, const WriteOptions& options, ByteSink& sink) const override {
    return sink.write(
        flame_html::assemble_page(flame_html::page_title(profile, options), flame_html::page_data(profile, options)));
  }
};

}  // namespace

std::unique_ptr<Format> create_flame_html() { return std::make_unique<FlameHtmlFormat>(); }

}  // namespace atys::format
