// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/steady_tables.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/utf8.h"
#include "format/otlp/binary_codec.h"
#include "format/otlp/index_check.h"
#include "format/otlp/references.h"
#include "format/wire/wire_writer.h"

namespace atys::format::otlp {

namespace {

constexpr uint32_t kDictionaryField = 2;  // of a message

int32_t at(const std::vector<int32_t>& places, int32_t place) {
  return place <= 0 || static_cast<size_t>(place) >= places.size() ? 0 : places[static_cast<size_t>(place)];
}

void translate(std::vector<int32_t>& indices, const std::vector<int32_t>& places) {
  for (int32_t& index : indices) index = at(places, index);
}

void translate(message::ValueType& type, const std::vector<int32_t>& strings) {
  type.type_strindex = at(strings, type.type_strindex);
  type.unit_strindex = at(strings, type.unit_strindex);
}

auto row_of(const message::Sample& sample) {
  return std::tie(sample.stack_index, sample.attribute_indices, sample.link_index);
}

bool has_same_rows(const message::Profile& a, const message::Profile& b) {
  return std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(),
                    [](const auto& one, const auto& other) { return row_of(one) == row_of(other); });
}

// By value first: most are small, and rows that have the value in common differ in their stacks alone.
std::vector<uint32_t> order_of(const std::vector<message::Sample>& samples) {
  std::vector<uint32_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t one, uint32_t other) {
    const message::Sample &a = samples[one], &b = samples[other];
    return a.values != b.values ? a.values < b.values : row_of(a) < row_of(b);
  });
  return order;
}

// Profiles that are columns of the same rows stay so.
void sort_samples(message::ScopeProfiles& scope) {
  const auto has_times = [](const message::Sample& sample) { return !sample.timestamps_unix_nano.empty(); };
  std::vector<message::Profile>& profiles = scope.profiles;
  for (size_t first = 0, next = 0; first < profiles.size(); first = next) {
    for (next = first + 1; next < profiles.size() && has_same_rows(profiles[first], profiles[next]);) ++next;
    const std::vector<message::Sample>& rows = profiles[first].samples;
    if (std::any_of(rows.begin(), rows.end(), has_times)) continue;
    const std::vector<uint32_t> order = order_of(rows);
    for (size_t i = first; i < next; ++i) {
      std::vector<message::Sample> sorted;
      sorted.reserve(order.size());
      for (const uint32_t row : order) sorted.push_back(std::move(profiles[i].samples[row]));
      profiles[i].samples = std::move(sorted);
    }
  }
}

bool has_comments(const message::ProfilesData& data) {
  for (const message::ResourceProfiles& resource : data.resource_profiles)
    for (const message::ScopeProfiles& scope : resource.scope_profiles)
      for (const message::Profile& profile : scope.profiles)
        if (!profile.comment_strindices.empty()) return true;
  return false;
}

std::string encode_entry(const std::string& text) { return to_utf8(text); }
template <typename Entry>
std::string encode_entry(const Entry& entry) {
  return encode_binary(entry);
}

}  // namespace

int32_t SteadyTables::add(Table table, std::string_view entry) {
  std::string field;
  WireWriter(field).always_bytes(table, entry);
  Entries& entries = tables_[table];
  const auto [found, is_new] = entries.places.try_emplace(std::move(field), 0);
  if (is_new) {
    if (entries.free.empty()) {
      entries.free.push_back(static_cast<uint32_t>(entries.fields.size()));
      entries.fields.push_back(nullptr);
      entries.last_used.push_back(0);
    }
    found->second = entries.free.back();
    entries.free.pop_back();
    entries.fields[found->second] = &found->first;
    entries.bytes += found->first.size();
  }
  entries.last_used[found->second] = messages_;
  return static_cast<int32_t>(found->second);
}

template <typename Entry, typename Translate>
void SteadyTables::add_table(Table table, std::vector<Entry>& entries, Places& places, const Translate& translate) {
  std::vector<int32_t>& found = places[table];
  found.assign(std::max<size_t>(entries.size(), 1), 0);
  for (size_t i = 1; i < entries.size(); ++i) {
    translate(entries[i]);
    found[i] = add(table, encode_entry(entries[i]));
  }
}

SteadyTables::Places SteadyTables::add_all(message::Dictionary dictionary) {
  Places to;
  add_table(Strings, dictionary.string_table, to, [](std::string&) {});
  add_table(Attributes, dictionary.attribute_table, to, [&](message::Attribute& attribute) {
    attribute.key_strindex = at(to[Strings], attribute.key_strindex);
    attribute.unit_strindex = at(to[Strings], attribute.unit_strindex);
  });
  add_table(Functions, dictionary.function_table, to, [&](message::Function& function) {
    function.name_strindex = at(to[Strings], function.name_strindex);
    function.system_name_strindex = at(to[Strings], function.system_name_strindex);
    function.filename_strindex = at(to[Strings], function.filename_strindex);
  });
  add_table(Mappings, dictionary.mapping_table, to, [&](message::Mapping& mapping) {
    mapping.filename_strindex = at(to[Strings], mapping.filename_strindex);
    otlp::translate(mapping.attribute_indices, to[Attributes]);
  });
  add_table(Locations, dictionary.location_table, to, [&](message::Location& location) {
    location.mapping_index = at(to[Mappings], location.mapping_index);
    for (message::Line& line : location.lines) line.function_index = at(to[Functions], line.function_index);
    otlp::translate(location.attribute_indices, to[Attributes]);
  });
  add_table(Links, dictionary.link_table, to, [](message::Link&) {});
  add_table(Stacks, dictionary.stack_table, to,
            [&](message::Stack& stack) { otlp::translate(stack.location_indices, to[Locations]); });
  return to;
}

void SteadyTables::translate(message::Profile& profile, const Places& to) {
  otlp::translate(profile.sample_type, to[Strings]);
  otlp::translate(profile.period_type, to[Strings]);
  otlp::translate(profile.attribute_indices, to[Attributes]);
  for (message::Sample& sample : profile.samples) {
    sample.stack_index = at(to[Stacks], sample.stack_index);
    otlp::translate(sample.attribute_indices, to[Attributes]);
    sample.link_index = at(to[Links], sample.link_index);
  }
}

Result<std::string> SteadyTables::write(message::ProfilesData data) {
  if (has_comments(data)) return fail(ErrorCode::Unsupported, "an old form of OTLP, which is read and not written");
  TRY(check_indices(data));
  TRY(resolve_references(data));
  make_room();
  ++messages_;
  const Places to = add_all(std::exchange(data.dictionary, {}));
  for (message::ResourceProfiles& resource : data.resource_profiles)
    for (message::ScopeProfiles& scope : resource.scope_profiles) {
      for (message::Profile& profile : scope.profiles) translate(profile, to);
      sort_samples(scope);
    }
  return encode_binary(data) + encode_dictionary();
}

std::string SteadyTables::encode_dictionary() const {
  std::string tables;
  tables.reserve(table_bytes() + 64);
  for (uint32_t table = Mappings; table < kEnd; ++table)
    for (const std::string* field : tables_[table].fields) {
      if (field != nullptr) tables += *field;
      if (field == nullptr) WireWriter(tables).always_bytes(table, {});
    }
  std::string out;
  out.reserve(tables.size() + 8);
  WireWriter(out).always_bytes(kDictionaryField, tables);
  return out;
}

void SteadyTables::make_room() {
  if (table_bytes() > plan_.most_bytes) tables_ = {};
  for (uint32_t table = Mappings; table < kEnd; ++table) free_unused(tables_[table]);
}

// What an entry refers to was used whenever it was itself, so nothing that stays refers to what goes.
void SteadyTables::free_unused(Entries& entries) const {
  for (size_t place = entries.fields.size() - 1; place > 0; --place) {
    const std::string* field = entries.fields[place];
    if (field == nullptr || messages_ - entries.last_used[place] < plan_.keep_messages) continue;
    entries.bytes -= field->size();
    entries.fields[place] = nullptr;
    entries.places.erase(entries.places.find(*field));
    entries.free.push_back(static_cast<uint32_t>(place));
  }
}

size_t SteadyTables::table_bytes() const {
  size_t bytes = 0;
  for (const Entries& table : tables_) bytes += table.bytes + 2 * (table.free.size() + 1);
  return bytes;
}

size_t SteadyTables::memory_bytes() const {
  constexpr size_t kOfEntry = 100;  // in the index, in lists, of the allocator
  size_t bytes = 0;
  for (const Entries& table : tables_) bytes += table.bytes + table.fields.capacity() * kOfEntry;
  return bytes;
}

}  // namespace atys::format::otlp
