// SPDX-License-Identifier: Apache-2.0
#include "format/flame_svg/svg_colours.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "reduce/function_text.h"

namespace atys::format::flame_svg {

using namespace reduce;

namespace {

constexpr std::array<std::string_view, 10> kClasses = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
constexpr std::string_view kGrey = "cx";
constexpr std::array<std::string_view, 4> kMore = {"u1", "u2", "u3", "u4"};
constexpr std::array<std::string_view, 4> kLess = {"d1", "d2", "d3", "d4"};

std::vector<double> area_by_function(const FlameTree& tree, const std::vector<double>& widths) {
  std::vector<double> area(tree.functions.size(), 0);
  for (size_t i = 1; i < tree.nodes.size(); ++i) area[profile::raw(tree.nodes[i].function)] += widths[i];
  return area;
}

}  // namespace

std::vector<std::string_view> colour_classes(const FlameTree& tree, const std::vector<double>& widths) {
  const std::vector<double> area = area_by_function(tree, widths);
  std::vector<std::string> packages;
  std::map<std::string_view, double> worth;
  packages.reserve(area.size());
  for (size_t i = 0; i < area.size(); ++i) {
    const FlameFunction& function = tree.functions.rows()[i];
    const std::string_view name = tree.strings.view(function.name);
    packages.push_back(package_of(name, tree.strings.view(function.file), tree.strings.view(function.module)));
    if (packages.back().empty()) packages.back() = name;
    if (!packages.back().empty()) worth[packages.back()] += area[i];
  }
  std::vector<std::pair<double, std::string_view>> ranked;
  for (const auto& [package, value] : worth) ranked.emplace_back(-value, package);
  std::ranges::sort(ranked);
  std::map<std::string_view, std::string_view> class_of;
  for (size_t i = 0; i < std::min(ranked.size(), kClasses.size()); ++i) class_of[ranked[i].second] = kClasses[i];
  std::vector<std::string_view> classes;
  classes.reserve(packages.size());
  for (const std::string& package : packages) {
    const auto found = class_of.find(package);
    classes.push_back(found == class_of.end() ? kGrey : found->second);
  }
  return classes;
}

std::string_view change_class(int level) {
  if (level == 0) return kGrey;
  const auto index = static_cast<size_t>(std::abs(level)) - 1;
  return level > 0 ? kMore[std::min(index, kMore.size() - 1)] : kLess[std::min(index, kLess.size() - 1)];
}

// Equal lightness in a perceptual space for all hues of a scheme, so that labels are readable on each.
std::string_view style_sheet() {
  return R"(
svg { background: #fff; color: #151922; font: 11px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace }
text { fill: #151922; pointer-events: none }
.h { font: 600 17px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
.m { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #565e70 }
.w { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #8a4b00 }
.i text { font-style: italic }
.bg { fill: #fff }
.n { opacity: 0.5 }
rect:hover { stroke: #151922 }
.cx { fill: #d4d7dd }
)"
         ".c0 { fill: #adcfff } .c1 { fill: #f8c59a } .c2 { fill: #a7ddb4 } .c3 { fill: #dfc1f8 } .c4 { fill: #ffbfb5 }\n"
         ".c5 { fill: #95dddf } .c6 { fill: #dad392 } .c7 { fill: #fbbcd8 } .c8 { fill: #c5c9ff } .c9 { fill: #c2d99c }\n"
         ".u1 { fill: #f8d5cf } .u2 { fill: #fdb6aa } .u3 { fill: #fc9382 } .u4 { fill: #f26b59 }\n"
         ".d1 { fill: #cbe1f8 } .d2 { fill: #a0cfff } .d3 { fill: #70baff } .d4 { fill: #359fff }\n"
         R"(@media (prefers-color-scheme: dark) {
svg { background: #171a21 }
text { fill: #f3f5fa }
.m { fill: #9ea6b7 }
.w { fill: #ffd08a }
.bg { fill: #171a21 }
rect:hover { stroke: #fff }
.cx { fill: #4a4e57 }
.c0 { fill: #204f83 } .c1 { fill: #7a4207 } .c2 { fill: #1d5e35 } .c3 { fill: #5f4076 } .c4 { fill: #7f3a34 }
.c5 { fill: #005d61 } .c6 { fill: #5c5200 } .c7 { fill: #7a3858 } .c8 { fill: #434883 } .c9 { fill: #415911 }
.u1 { fill: #5a3832 } .u2 { fill: #73352c } .u3 { fill: #8e3328 } .u4 { fill: #aa3527 }
.d1 { fill: #2d445c } .d2 { fill: #1e4d79 } .d3 { fill: #045797 } .d4 { fill: #0065b7 }
}
)";
}

}  // namespace atys::format::flame_svg
