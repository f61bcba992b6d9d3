// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_data.h"

#include "base/json.h"
#include "format/flame_html/page_compare.h"
#include "format/flame_html/page_nodes.h"
#include "format/flame_html/page_rows.h"
#include "format/flame_html/page_sums.h"
#include "format/flame_html/varint_column.h"
#include "profile/loss.h"
#include "reduce/profile_title.h"

namespace atys::format::flame_html {

using namespace profile;
using namespace reduce;

namespace {

// What a browser draws without making anybody wait, and a mail carries.
constexpr size_t kMostNodes = 500'000;
constexpr size_t kMostPlaces = 1'000'000;
constexpr size_t kLongestText = 2000;  // of a fact, in bytes
constexpr size_t kMostFacts = 200;     // losses, provenance, comments

size_t column_of(const Profile& profile, const WriteOptions& options) {
  if (profile.value_types().empty()) return 0;
  return std::min(options.value_column.value_or(profile.default_value_column()), profile.value_types().size() - 1);
}

std::vector<FlameInput> inputs_of(const Profile& profile, const WriteOptions& options) {
  std::vector<FlameInput> inputs{{&profile, column_of(profile, options)}};
  if (options.comparison.base != nullptr) inputs.push_back({options.comparison.base, options.comparison.base_column});
  return inputs;
}

class PageData {
 public:
  PageData(const Profile& profile, const WriteOptions& options)
      : profile_(profile),
        options_(options),
        inputs_(inputs_of(profile, options)),
        tree_(build_flame_tree(inputs_, {.most_nodes = kMostNodes, .keep_zero_stacks = true})),
        strings_(PageStrings::longest_for(tree_.strings.memory_bytes())) {}

  std::string write() {
    json_.begin_object();
    json_.field("title", shortened(page_title(profile_, options_), kLongestText));
    json_.field("column", inputs_[0].column);
    json_.field("inverted", options_.inverted);
    write_value_types();
    write_facts(profile_);
    write_functions(tree_, strings_, json_);
    write_nodes(tree_, json_);
    write_samples();
    write_sums(tree_, inputs_, json_);
    json_.key("strings");
    strings_.write(json_);
    json_.end_object();
    return json_.take();
  }

 private:
  std::string text(StringId id) const { return shortened(profile_.text(id), kLongestText); }

  void write_value_types() {
    json_.key("valueTypes").begin_array();
    for (const ValueType& type : profile_.value_types())
      json_.begin_object().field("type", text(type.type)).field("unit", text(type.unit)).end_object();
    json_.end_array();
  }

  // Of the profile, or of the one that it is compared with.
  void write_facts(const Profile& profile) {
    const auto text_of = [&](StringId id) { return shortened(profile.text(id), kLongestText); };
    const Header& header = profile.header;
    json_.key("samples");
    if (const auto samples = sample_count(profile)) {
      json_.value(*samples);
    } else {
      json_.null();
    }
    json_.field("timeMs", static_cast<double>(header.time_ns) / 1e6);
    json_.field("durationNs", header.duration_ns);
    json_.key("losses").begin_array();
    for (const Loss& loss : first_of(profile.losses)) {
      json_.begin_object().field("reason", text_of(loss.reason)).field("count", loss.count);
      json_.field("isIn", is_in_samples(profile.text(loss.reason))).end_object();
    }
    json_.end_array().key("provenance").begin_array();
    for (const Fact& fact : first_of(profile.provenance))
      json_.begin_object().field("key", text_of(fact.key)).field("value", text_of(fact.value)).end_object();
    json_.end_array().key("comments").begin_array();
    for (const StringId comment : first_of(header.comments)) json_.value(text_of(comment));
    json_.end_array();
  }

  template <typename Row>
  static std::span<const Row> first_of(const std::vector<Row>& rows) {
    return std::span(rows).first(std::min(rows.size(), kMostFacts));
  }

  void write_samples() {
    const FlameLines lines = find_flame_lines(tree_, inputs_, kMostPlaces);
    write_places(tree_, lines, json_);
    std::vector<std::vector<std::optional<size_t>>> columns(1);
    for (size_t i = 0; i < profile_.value_types().size(); ++i) columns[0].emplace_back(i);
    if (inputs_.size() > 1) columns.push_back(matching_columns(profile_, *inputs_[1].profile));
    const PageRows rows(inputs_, columns, lines);
    write_contexts(rows.contexts());
    if (rows.clock().step_ns > 0) json_.field("timeStepNs", rows.clock().step_ns);
    json_.field("hasTimes", profile_.samples.has_times());
    json_.key("rows");
    rows.write(0, json_);
    if (inputs_.size() == 1) return;
    json_.key("base").begin_object();
    write_facts(*inputs_[1].profile);
    json_.key("rows");
    rows.write(1, json_);
    json_.end_object();
    write_comparison(inputs_, columns[1], tree_, options_.comparison, json_);
  }

  void write_contexts(const Contexts& contexts) {
    json_.key("facets").begin_array();
    for (const Facet& facet : contexts.facets()) {
      json_.begin_object().field("kind", kind_text(facet.kind)).field("name", shortened(facet.name, kLongestText));
      json_.key("values").begin_array();
      for (const std::string& value : facet.values) json_.value(shortened(value, kLongestText));
      json_.end_array().field("folded", facet.folded).end_object();
    }
    VarintColumn members;
    for (uint32_t context = 0; context < contexts.size(); ++context)
      for (const uint32_t value : contexts.members(context)) members.add(value);
    json_.end_array().key("contexts").begin_object().field("count", contexts.size());
    json_.field("members", members.base64()).end_object();
  }

  static const char* kind_text(Facet::Kind kind) {
    switch (kind) {
      case Facet::Kind::Process: return "process";
      case Facet::Kind::Thread: return "thread";
      case Facet::Kind::Label: break;
    }
    return "label";
  }

  const Profile& profile_;
  const WriteOptions& options_;
  std::vector<FlameInput> inputs_;
  FlameTree tree_;
  PageStrings strings_;
  JsonWriter json_;
};

}  // namespace

std::string page_title(const Profile& profile, const WriteOptions& options) {
  if (!options.title.empty()) return options.title;
  const Comparison& compared = options.comparison;
  if (compared.base != nullptr) return compared.base_name + " → " + compared.new_name;
  return profile_title(profile);
}

std::string page_data(const Profile& profile, const WriteOptions& options) { return PageData(profile, options).write(); }

}  // namespace atys::format::flame_html
