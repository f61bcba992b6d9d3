// SPDX-License-Identifier: Apache-2.0
// svg: a flame graph as a still picture, for documents and for viewers that run no scripts. Of one value type.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "format/flame_svg/svg_picture.h"
#include "format/format.h"
#include "profile/loss.h"
#include "reduce/profile_title.h"
#include "reduce/value_text.h"

namespace atys::format {

namespace {

using namespace reduce;

size_t column_of(const Profile& profile, const WriteOptions& options) {
  if (profile.value_types().empty()) return 0;
  return std::min(options.value_column.value_or(profile.default_value_column()), profile.value_types().size() - 1);
}

std::string losses_text(const Profile& profile) {
  std::string text;
  for (const bool is_in : {false, true}) {
    std::string part;
    for (const profile::Loss& loss : profile.losses) {
      if (profile::is_in_samples(profile.text(loss.reason)) != is_in) continue;
      add_to_list(part,
                  std::string(profile.text(loss.reason)) + " " + value_text(static_cast<int64_t>(loss.count), "count"));
    }
    if (part.empty()) continue;
    add_to_list(text, (is_in ? "not whole, though in this picture: " : "lost and not in this picture: ") + part, "; ");
  }
  return text;
}

std::string facts_text(const Profile& profile, const FlameTree& tree, std::string_view type, std::string_view unit) {
  std::string text = std::string(type) + " " + value_text(tree.nodes[0].total, unit);
  if (const auto samples = sample_count(profile)) text += "  ·  " + value_text(*samples, "count") + " samples";
  if (profile.header.duration_ns > 0) text += "  ·  recorded for " + value_text(profile.header.duration_ns, "nanoseconds");
  return text;
}

std::string both_losses(const Profile& base, const Profile& fresh) {
  const std::string before = losses_text(base);
  const std::string after = losses_text(fresh);
  if (before.empty() && after.empty()) return {};
  return "before: " + (before.empty() ? "nothing lost" : before) + "; after: " + (after.empty() ? "nothing lost" : after);
}

// "cpu 1.20 s → 1.80 s (+50.0%)  ·  shares compared, frames as wide as after"
std::string comparison_text(const flame_svg::ComparedTree& compared, const Comparison& comparison, std::string_view type,
                            std::string_view unit) {
  const int64_t before = compared.base_total[0];
  const int64_t after = compared.new_total[0];
  std::string text = std::string(type) + " " + value_text(before, unit) + " → " + value_text(after, unit);
  if (before != 0) text += fmt::format(" ({:+.1f}%)", (static_cast<double>(after) / static_cast<double>(before) - 1) * 100);
  if (!compared.is_chance_known) text += "  ·  how many samples there were is not known, nor what is chance";
  text += comparison.is_absolute ? "  ·  values compared" : "  ·  shares compared";
  switch (comparison.widths) {
    case ComparedWidths::New: return text + ", frames as wide as after";
    case ComparedWidths::Base: return text + ", frames as wide as before";
    case ComparedWidths::Either: break;
  }
  return text + ", frames as wide as the larger of both";
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
        .can_compare = true,
        .keeps = {},
    };
    return descriptor;
  }

  Result<> write(const Profile& profile, const WriteOptions& options, ByteSink& sink) const override {
    const size_t column = column_of(profile, options);
    std::vector<FlameInput> inputs{{&profile, column}};
    const Comparison& comparison = options.comparison;
    if (comparison.base != nullptr) inputs.push_back({comparison.base, comparison.base_column});
    const FlameTree tree = build_flame_tree(inputs, {.inverted = options.inverted});
    flame_svg::Picture picture;
    std::string_view type = "value";
    if (!profile.value_types().empty()) {
      type = profile.text(profile.value_types()[column].type);
      picture.unit = profile.text(profile.value_types()[column].unit);
    }
    std::optional<flame_svg::ComparedTree> compared;
    if (comparison.base != nullptr) {
      compared = flame_svg::compare_on_tree(tree, inputs, comparison);
      picture.compared = &*compared;
      picture.title = comparison.base_name + " → " + comparison.new_name;
      picture.facts = comparison_text(*compared, comparison, type, picture.unit);
      picture.losses = both_losses(*comparison.base, profile);
    } else {
      picture.title = profile_title(profile);
      picture.facts = facts_text(profile, tree, type, picture.unit);
      picture.losses = losses_text(profile);
    }
    if (!options.title.empty()) picture.title = options.title;
    if (options.inverted) picture.facts += "  ·  callees first";
    return sink.write(flame_svg::draw_svg(tree, picture));
  }
};

}  // namespace

std::unique_ptr<Format> create_flame_svg() { return std::make_unique<FlameSvgFormat>(); }

}  // namespace atys::format
