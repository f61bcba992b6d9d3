// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_data.h"

#include "base/json.h"
#include "base/utf8.h"
#include "format/flame_html/varint_column.h"
#include "profile/loss.h"
#include "reduce/flame_tree.h"
#include "reduce/function_text.h"
#include "reduce/profile_title.h"

namespace atys::format::flame_html {

using namespace profile;
using namespace reduce;

namespace {

class PageData {
 public:
  PageData(const Profile& profile, const WriteOptions& options)
      : profile_(profile),
        options_(options),
        column_(std::min(options.value_column.value_or(profile.default_value_column()),
                         std::max<size_t>(profile.value_types().size(), 1) - 1)),
        tree_(build_flame_tree(profile, {.value_column = column_, .keep_zero_stacks = true})) {}

  std::string write() {
    json_.begin_object();
    json_.field("title", printable(page_title(profile_, options_)));
    json_.field("column", column_);
    json_.field("inverted", options_.inverted);
    write_value_types();
    write_facts();
    write_functions();
    write_nodes();
    json_.key("strings").begin_array();
    for (uint32_t i = 0; i < texts_.size(); ++i) json_.value(texts_.view(StringId{i}));
    json_.end_array().end_object();
    return json_.take();
  }

 private:
  // The number of a text in the page's string table.
  uint32_t number_of(std::string_view text) { return raw(texts_.intern(printable(text))); }
  void text_field(std::string_view key, StringId id) { json_.field(key, printable(profile_.text(id))); }

  void write_value_types() {
    json_.key("valueTypes").begin_array();
    for (const ValueType& type : profile_.value_types()) {
      json_.begin_object();
      text_field("type", type.type);
      text_field("unit", type.unit);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_facts() {
    const Header& header = profile_.header;
    json_.key("samples");
    if (const auto samples = sample_count(profile_)) {
      json_.value(*samples);
    } else {
      json_.null();
    }
    json_.field("timeMs", static_cast<double>(header.time_ns) / 1e6);
    json_.field("durationNs", header.duration_ns);
    json_.key("losses").begin_array();
    for (const Loss& loss : profile_.losses) {
      json_.begin_object();
      text_field("reason", loss.reason);
      json_.field("count", loss.count).field("isIn", is_in_samples(profile_.text(loss.reason))).end_object();
    }
    json_.end_array().key("provenance").begin_array();
    for (const Fact& fact : profile_.provenance) {
      json_.begin_object();
      text_field("key", fact.key);
      text_field("value", fact.value);
      json_.end_object();
    }
    json_.end_array().key("comments").begin_array();
    for (const StringId comment : header.comments) json_.value(printable(profile_.text(comment)));
    json_.end_array();
  }

  void write_functions() {
    VarintColumn names, short_names, files, kinds, modules, packages, inlined;
    number_of("");
    for (const FlameFunction& function : tree_.functions.rows()) {
      const std::string_view name = tree_.strings.view(function.name);
      const std::string_view file = tree_.strings.view(function.file);
      const std::string_view module = tree_.strings.view(function.module);
      names.add(number_of(name));
      short_names.add(number_of(short_name(name)));
      files.add(number_of(file));
      kinds.add(number_of(tree_.strings.view(function.kind)));
      modules.add(number_of(module));
      packages.add(number_of(package_of(name, file, module)));
      inlined.add(function.is_inlined ? 1 : 0);
    }
    json_.key("functions").begin_object();
    json_.field("count", tree_.functions.size());
    json_.field("name", names.base64()).field("shortName", short_names.base64()).field("file", files.base64());
    json_.field("kind", kinds.base64()).field("module", modules.base64()).field("package", packages.base64());
    json_.field("inlined", inlined.base64()).end_object();
  }

  void write_nodes() {
    VarintColumn shape, functions;
    for (size_t i = 1; i < tree_.nodes.size(); ++i) {
      shape.add(tree_.nodes[i - 1].depth + 1 - tree_.nodes[i].depth);
      functions.add(raw(tree_.nodes[i].function));
    }
    json_.key("nodes").begin_object();
    json_.field("count", tree_.nodes.size()).field("shape", shape.base64()).field("function", functions.base64());
    json_.key("self").begin_array();
    for (size_t column = 0; column < profile_.value_types().size(); ++column) json_.value(self_column(column).base64());
    json_.end_array().end_object();
  }

  VarintColumn self_column(size_t column) const {
    std::vector<uint64_t> self(tree_.nodes.size(), 0);
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      self[tree_.node_of_stack[0][raw(profile_.samples.stack(row))]] +=
          static_cast<uint64_t>(profile_.samples.value(row, column));
    }
    VarintColumn numbers;
    for (const uint64_t value : self) numbers.add_signed(static_cast<int64_t>(value));
    return numbers;
  }

  const Profile& profile_;
  const WriteOptions& options_;
  size_t column_;
  FlameTree tree_;
  StringTable texts_;
  JsonWriter json_;
};

}  // namespace

std::string page_title(const Profile& profile, const WriteOptions& options) {
  return options.title.empty() ? profile_title(profile) : options.title;
}

std::string page_data(const Profile& profile, const WriteOptions& options) { return PageData(profile, options).write(); }

}  // namespace atys::format::flame_html
