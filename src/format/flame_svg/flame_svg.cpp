// SPDX-License-Identifier: Apache-2.0
// svg: a flame graph as a still picture, for documents and for viewers that run no scripts. Of one value type.
#include "format/flame_svg/svg_picture.h"
#include "format/format.h"
#include "profile/loss.h"
#include "reduce/profile_title.h"
#include "reduce/value_text.h"

namespace atys::format {

namespace {

using namespace reduce;

std::string losses_text(const Profile& profile) {
  std::string text;
  for (const bool is_in : {false, true}) {
    std::string part;
    for (const profile::Loss& loss : profile.losses) {
      if (profile::is_in_samples(profile.text(loss.reason)) != is_in) continue;
      part += (part.empty() ? "" : ", ") + std::string(profile.text(loss.reason)) + " " +
              value_text(static_cast<int64_t>(loss.count), "count");
    }
    if (part.empty()) continue;
    text += (text.empty() ? "" : "; ");
    text += (is_in ? "not whole, though in this picture: " : "lost and not in this picture: ") + part;
  }
  return text;
}

std::string facts_text(const Profile& profile, const FlameTree& tree, std::string_view type, std::string_view unit) {
  std::string text = std::string(type) + " " + value_text(tree.nodes[0].total, unit);
  if (const auto samples = sample_count(profile)) text += "  ·  " + value_text(*samples, "count") + " samples";
  if (profile.header.duration_ns > 0) text += "  ·  recorded for " + value_text(profile.header.duration_ns, "nanoseconds");
  return text;
}

class FlameSvgFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "svg",
        .extensions = {".svg"},
        .media_type = "image/svg+xml",
        .description = "flame graph as a still picture",
        .can_write = true,
        .keeps = {},
    };
    return descriptor;
  }

  Result<> write(const Profile& profile, const WriteOptions& options, ByteSink& sink) const override {
    const FlameTree tree = build_flame_tree(profile, {.value_column = options.value_column, .inverted = options.inverted});
    flame_svg::Picture picture;
    picture.title = options.title.empty() ? profile_title(profile) : options.title;
    std::string_view type = "value";
    if (!profile.value_types().empty()) {
      const size_t column =
          std::min(options.value_column.value_or(profile.default_value_column()), profile.value_types().size() - 1);
      type = profile.text(profile.value_types()[column].type);
      picture.unit = profile.text(profile.value_types()[column].unit);
    }
    picture.facts = facts_text(profile, tree, type, picture.unit) + (options.inverted ? "  ·  callees first" : "");
    picture.losses = losses_text(profile);
    return sink.write(flame_svg::draw_svg(tree, picture));
  }
};

}  // namespace

std::unique_ptr<Format> create_flame_svg() { return std::make_unique<FlameSvgFormat>(); }

}  // namespace atys::format
