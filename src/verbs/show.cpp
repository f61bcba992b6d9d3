// SPDX-License-Identifier: Apache-2.0
#include "verbs/show.h"

#include <set>

#include "reduce/label_text.h"

namespace atys::verbs {

using namespace profile;

namespace {

constexpr size_t kExamples = 3;

std::vector<ShownLabel> shown_labels(const Profile& profile) {
  std::map<std::string, std::set<std::string>> values;
  for (uint32_t i = 1; i < profile.labels.size(); ++i) {
    const Label& label = profile.labels[LabelId{i}];
    values[std::string(profile.text(label.key))].insert(reduce::value_text(profile, label));
  }
  std::vector<ShownLabel> labels;
  for (const auto& [key, texts] : values) {
    ShownLabel& label = labels.emplace_back(ShownLabel{key, texts.size(), {}});
    for (const std::string& text : texts) {
      if (label.examples.size() < kExamples) label.examples.push_back(text);
    }
  }
  return labels;
}

std::string type_name(const Profile& profile, const ValueType& type) {
  return std::string(profile.text(type.type)) + "/" + std::string(profile.text(type.unit));
}

}  // namespace

Result<ShowAnswer> show(const ShowRequest& request) {
  const LoadedProfile loaded = TRY(load_profile(request.profile));
  const Profile& profile = loaded.profile;
  ShowAnswer answer;
  answer.default_value = TRY(find_value_column(profile, ""));
  answer.profile = describe(loaded, answer.default_value);
  for (size_t i = 0; i < profile.value_types().size(); ++i) {
    double total = 0;
    for (const int64_t value : profile.samples.values(i)) total += static_cast<double>(value);
    answer.value_types.emplace_back(type_name(profile, profile.value_types()[i]), total);
  }
  answer.time_ns = profile.header.time_ns;
  if (profile.header.period != 0) {
    answer.period = std::to_string(profile.header.period) + " " + type_name(profile, profile.header.period_type);
  }
  answer.rows = profile.samples.size();
  answer.stacks = profile.stacks.size() - 1;
  answer.frames = profile.frames.size() - 1;
  answer.functions = profile.functions.size() - 1;
  answer.strings = profile.strings.size();
  answer.memory_bytes = profile.memory_bytes();
  for (uint32_t i = 1; i < profile.mappings.size(); ++i) {
    const Mapping& mapping = profile.mappings[MappingId{i}];
    answer.mappings.push_back({std::string(profile.text(mapping.filename)), std::string(profile.text(mapping.build_id)),
                               mapping.start, mapping.limit});
  }
  answer.labels = shown_labels(profile);
  for (const StringId comment : profile.header.comments) answer.comments.emplace_back(profile.text(comment));
  for (const Fact& fact : profile.provenance)
    answer.provenance.emplace_back(profile.text(fact.key), profile.text(fact.value));
  return answer;
}

}  // namespace atys::verbs
