// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/parts.h"

#include <map>
#include <tuple>
#include <unordered_map>

#include "format/otlp/entry.h"
#include "format/otlp/index_check.h"
#include "format/otlp/join.h"
#include "format/otlp/profile_fields.h"
#include "format/otlp/references.h"
#include "format/otlp/semantics.h"
#include "format/wire/wire_reader.h"

namespace atys::format::otlp {

namespace {

// Entries that all parts together may take from the dictionary.
constexpr size_t kMostCopies = size_t{1} << 24;

using Numbers = std::unordered_map<int32_t, int32_t>;

// Copies entries of one dictionary into another, each once, and says where they are there.
class Extract {
 public:
  Extract(const message::Dictionary& from, message::Dictionary& into, size_t& copies)
      : from_(from), into_(into), copies_(copies) {
    into_.mapping_table.emplace_back();
    into_.location_table.emplace_back();
    into_.function_table.emplace_back();
    into_.link_table.emplace_back();
    into_.string_table.emplace_back();
    into_.attribute_table.emplace_back();
    into_.stack_table.emplace_back();
  }

  // Once this says no, what is copied is incomplete and to be thrown away.
  bool fits() const { return copies_ <= kMostCopies; }

  void take(message::Profile& profile) {
    take(profile.sample_type);
    take(profile.period_type);
    for (int32_t& comment : profile.comment_strindices) comment = string(comment);
    for (int32_t& index : profile.attribute_indices) index = attribute(index);
    for (message::Sample& sample : profile.samples) {
      sample.stack_index = stack(sample.stack_index);
      for (int32_t& index : sample.attribute_indices) index = attribute(index);
      sample.link_index = carry(from_.link_table, into_.link_table, links_, sample.link_index, [](message::Link&) {});
      if (!fits()) return;
    }
  }

 private:
  template <typename Table, typename Translate>
  int32_t carry(const Table& from, Table& into, Numbers& known, int32_t index, const Translate& translate) {
    const auto* found = entry(from, index);
    if (found == nullptr) return 0;
    if (const auto place = known.find(index); place != known.end()) return place->second;
    if (++copies_; !fits()) return 0;
    auto copy = *found;
    translate(copy);
    into.push_back(std::move(copy));
    return known[index] = static_cast<int32_t>(into.size() - 1);
  }

  void take(message::ValueType& type) {
    type.type_strindex = string(type.type_strindex);
    type.unit_strindex = string(type.unit_strindex);
  }
  int32_t string(int32_t index) {
    return carry(from_.string_table, into_.string_table, strings_, index, [](std::string&) {});
  }
  int32_t attribute(int32_t index) {
    return carry(from_.attribute_table, into_.attribute_table, attributes_, index, [this](message::Attribute& attribute) {
      attribute.key_strindex = string(attribute.key_strindex);
      attribute.unit_strindex = string(attribute.unit_strindex);
    });
  }
  int32_t function(int32_t index) {
    return carry(from_.function_table, into_.function_table, functions_, index, [this](message::Function& function) {
      function.name_strindex = string(function.name_strindex);
      function.system_name_strindex = string(function.system_name_strindex);
      function.filename_strindex = string(function.filename_strindex);
    });
  }
  int32_t mapping(int32_t index) {
    return carry(from_.mapping_table, into_.mapping_table, mappings_, index, [this](message::Mapping& mapping) {
      mapping.filename_strindex = string(mapping.filename_strindex);
      for (int32_t& each : mapping.attribute_indices) each = attribute(each);
    });
  }
  int32_t location(int32_t index) {
    return carry(from_.location_table, into_.location_table, locations_, index, [this](message::Location& location) {
      location.mapping_index = mapping(location.mapping_index);
      for (message::Line& line : location.lines) line.function_index = function(line.function_index);
      for (int32_t& each : location.attribute_indices) each = attribute(each);
    });
  }
  int32_t stack(int32_t index) {
    return carry(from_.stack_table, into_.stack_table, stacks_, index, [this](message::Stack& stack) {
      copies_ += stack.location_indices.size();
      if (!fits()) return;
      for (int32_t& each : stack.location_indices) each = location(each);
    });
  }

  const message::Dictionary& from_;
  message::Dictionary& into_;
  size_t& copies_;
  Numbers mappings_, locations_, functions_, links_, strings_, attributes_, stacks_;
};

// Which kind each profile of a scope is. Columns of the same rows are of one kind, told by those that can tell.
std::vector<std::string> kinds_of(const message::ScopeProfiles& scope, const message::Dictionary& dictionary,
                                  const KindOf& kind_of) {
  const auto text = [&](int32_t index) { return text_entry(dictionary.string_table, index); };
  std::map<std::pair<int32_t, int32_t>, size_t> known;
  std::vector<size_t> columns;
  for (const message::Profile& profile : scope.profiles) {
    const auto type = std::pair(profile.sample_type.type_strindex, profile.sample_type.unit_strindex);
    columns.push_back(known.emplace(type, known.size()).first->second);
  }
  std::vector<std::string> kinds(scope.profiles.size());
  for (const std::vector<size_t>& group : join_profiles(scope.profiles, columns, dictionary)) {
    std::string kind;
    for (const size_t member : group) {
      const message::Profile& profile = scope.profiles[member];
      const std::string own = kind_of(text(profile.sample_type.type_strindex), text(profile.sample_type.unit_strindex),
                                      text(profile.period_type.type_strindex));
      if (!own.empty()) kind = own;
    }
    for (const size_t member : group) kinds[member] = kind;
  }
  return kinds;
}

class Splitter {
 public:
  Splitter(message::ProfilesData data, const KindOf& kind_of) : data_(std::move(data)), kind_of_(kind_of) {}

  Result<std::vector<Part>> split() {
    for (message::ResourceProfiles& resource : data_.resource_profiles) TRY(split(resource));
    return std::move(parts_);
  }

 private:
  Result<> split(message::ResourceProfiles& resource) {
    // In the order in which they come first.
    std::map<std::tuple<std::string, uint64_t, uint64_t>, size_t> known;
    std::vector<std::vector<std::pair<size_t, size_t>>> members;
    std::vector<std::string> kinds;
    for (size_t s = 0; s < resource.scope_profiles.size(); ++s) {
      const std::vector<std::string> own = kinds_of(resource.scope_profiles[s], data_.dictionary, kind_of_);
      for (size_t p = 0; p < own.size(); ++p) {
        const message::Profile& profile = resource.scope_profiles[s].profiles[p];
        const auto [found, is_new] =
            known.emplace(std::tuple(own[p], profile.time_unix_nano, profile.duration_nano), members.size());
        if (is_new) {
          members.emplace_back();
          kinds.push_back(own[p]);
        }
        members[found->second].emplace_back(s, p);
      }
    }
    for (size_t i = 0; i < members.size(); ++i) TRY(make_part(resource, members[i], std::move(kinds[i])));
    return {};
  }

  Result<> make_part(message::ResourceProfiles& resource, const std::vector<std::pair<size_t, size_t>>& members,
                     std::string kind) {
    Part part{resource.resource.attributes, std::move(kind), {}, members.size(), {}};
    message::ResourceProfiles& out = part.data.resource_profiles.emplace_back();
    out.schema_url = resource.schema_url;
    Extract extract(data_.dictionary, part.data.dictionary, copies_);
    size_t scope = SIZE_MAX;
    for (const auto& [s, p] : members) {
      message::ScopeProfiles& from = resource.scope_profiles[s];
      if (scope != s) {
        out.scope_profiles.push_back({from.scope, {}, from.schema_url, from.offset});
        // Counts the profiles that were there; which of them these are is told by their types.
        std::erase_if(out.scope_profiles.back().scope.attributes, [&](const KeyValue& pair) {
          return members.size() < from.profiles.size() && pair.key == kSampleTypeOrder;
        });
        scope = s;
      }
      message::Profile profile = std::move(from.profiles[p]);
      if (is_profile_id(profile.profile_id)) part.ids.push_back(profile.profile_id);
      extract.take(profile);
      out.scope_profiles.back().profiles.push_back(std::move(profile));
    }
    if (!extract.fits())
      return fail(ErrorCode::ResourceExhausted, "bad OTLP data: its profiles share too much to be kept apart",
                  "send fewer profiles in a message");
    parts_.push_back(std::move(part));
    return {};
  }

  message::ProfilesData data_;
  const KindOf& kind_of_;
  size_t copies_ = 0;
  std::vector<Part> parts_;
};

// Fields that hold bytes, here and in those along `path`.
size_t count_below(std::string_view bytes, std::span<const uint32_t> path) {
  size_t count = 0;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.type != WireType::Bytes) continue;
    ++count;
    if (!path.empty() && field.number == path.front()) count += count_below(field.bytes, path.subspan(1));
  }
  return count;
}

}  // namespace

Result<std::vector<Part>> take_apart(message::ProfilesData data, const KindOf& kind_of) {
  TRY(check_indices(data));
  TRY(resolve_references(data));
  return Splitter(std::move(data), kind_of).split();
}

size_t count_entries(std::string_view bytes) {
  constexpr uint32_t kProfiles[] = {1, 2, 2};  // resource, scope, profile: and in each profile its samples
  size_t count = 0;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.type != WireType::Bytes) continue;
    if (field.number == 1) count += count_below(field.bytes, std::span(kProfiles).subspan(1));
    if (field.number == 2) count += count_below(field.bytes, {});
  }
  return count;
}

}  // namespace atys::format::otlp
