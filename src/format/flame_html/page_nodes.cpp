// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_nodes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "format/flame_html/varint_column.h"
#include "reduce/function_text.h"

namespace atys::format::flame_html {

using namespace profile;
using namespace reduce;

namespace {

// Most short names are the end of the name: then an odd number says how many characters go before it. Others are a text of
// their own, twice its number. What is skipped is ASCII, so that characters are bytes in every way of counting.
uint64_t short_name_number(std::string_view name, PageStrings& strings) {
  const std::string brief = short_name(name);
  const bool is_end = name.ends_with(brief) && name.size() <= strings.longest();
  const std::string_view before = name.substr(0, is_end ? name.size() - brief.size() : 0);
  const bool is_plain = std::ranges::all_of(before, [](char c) { return c >= ' ' && c <= '~'; });
  return is_end && is_plain ? before.size() * 2 + 1 : uint64_t{strings.number_of(brief)} * 2;
}

}  // namespace

void write_functions(const FlameTree& tree, PageStrings& strings, JsonWriter& json) {
  VarintColumn names, short_names, files, kinds, modules, packages, inlined;
  for (const FlameFunction& function : tree.functions.rows()) {
    const std::string_view name = tree.strings.view(function.name);
    const std::string_view file = tree.strings.view(function.file);
    const std::string_view module = tree.strings.view(function.module);
    names.add(strings.number_of(name));
    short_names.add(short_name_number(name, strings));
    files.add(strings.number_of(file));
    kinds.add(strings.number_of(tree.strings.view(function.kind)));
    modules.add(strings.number_of(module));
    packages.add(strings.number_of(package_of(name, file, module)));
    inlined.add(function.is_inlined ? 1 : 0);
  }
  json.key("functions").begin_object();
  json.field("count", tree.functions.size());
  json.field("name", names.base64()).field("shortName", short_names.base64()).field("file", files.base64());
  json.field("kind", kinds.base64()).field("module", modules.base64()).field("package", packages.base64());
  json.field("inlined", inlined.base64()).end_object();
}

void write_nodes(const FlameTree& tree, JsonWriter& json) {
  VarintColumn shape, functions;
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    shape.add(tree.nodes[i - 1].depth + 1 - tree.nodes[i].depth);
    functions.add(raw(tree.nodes[i].function));
  }
  json.key("nodes").begin_object();
  json.field("count", tree.nodes.size()).field("shape", shape.base64()).field("function", functions.base64());
  json.field("folded", tree.folded).end_object();
}

void write_places(const FlameTree& tree, const FlameLines& lines, JsonWriter& json) {
  if (!lines.has_lines) return;
  const std::vector<FlamePlace>& places = lines.places;
  std::vector<uint32_t> first(tree.nodes.size() + 1, 0);  // of the places of each node
  for (const FlamePlace& place : places) ++first[place.node + 1];
  for (size_t i = 0; i < tree.nodes.size(); ++i) first[i + 1] += first[i];
  VarintColumn more, parents, numbers;
  std::vector<int64_t> last_line(tree.functions.size(), 0);
  for (uint32_t node = 0; node < tree.nodes.size(); ++node) {
    more.add(first[node + 1] - first[node] - 1);
    if (node == 0) continue;
    const uint32_t parent = tree.nodes[node].parent;
    int64_t& last = last_line[raw(tree.nodes[node].function)];
    for (uint32_t i = first[node]; i < first[node + 1]; ++i) {
      if (first[parent + 1] - first[parent] > 1) parents.add(places[i].parent - first[parent]);
      // Lines are small, but who knows what a file says.
      const int64_t line = places[i].line > 0 && places[i].line < INT32_MAX ? places[i].line : 0;
      numbers.add_signed(line - last);
      last = line;
    }
  }
  json.key("places").begin_object().field("count", places.size());
  json.field("more", more.base64()).field("parent", parents.base64()).field("line", numbers.base64()).end_object();
}

}  // namespace atys::format::flame_html
