// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/profile_writer.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/hex.h"

namespace atys::format::otlp {

using namespace profile;

namespace {

// The only label of this key in a run that is sorted by key, if its type is `type` and it has no unit; else null.
const Label* only_label(const Profile& profile, std::span<const LabelId> labels, std::string_view key, LabelType type) {
  const Label* found = nullptr;
  for (const LabelId id : labels) {
    const Label& label = profile.labels[id];
    if (profile.text(label.key) != key) continue;
    if (found != nullptr || label.type != type || !profile.text(label.unit).empty()) return nullptr;
    found = &label;
  }
  const bool is_text = type == LabelType::String || type == LabelType::Bytes;
  if (found == nullptr || (is_text ? found->number != 0 : !profile.text(found->text).empty())) return nullptr;
  return found;
}

LabelType label_type(std::string_view, int64_t) { return LabelType::Int; }
LabelType label_type(std::string_view key, const std::string&) {
  return key == kIdKey ? LabelType::Bytes : LabelType::String;
}
void set_field(const Profile&, const Label& label, int64_t& field) { field = label.number; }
void set_field(const Profile& profile, const Label& label, std::string& field) { field = profile.text(label.text); }

}  // namespace

ProfileWriter::ProfileWriter(const Profile& profile, DictionaryWriter& dictionary, const std::vector<RowGroup>& groups)
    : profile_(&profile), dictionary_(&dictionary), header_(fields_of(profile)), sample_labels_(profile.label_sets.size()) {
  for (const RowGroup& group : groups) has_profile_labels_ = has_profile_labels_ || !own_of(group).labels.empty();
}

void ProfileWriter::write(const RowGroup& group, bool is_first, std::vector<message::Profile>& out) {
  const Own own = own_of(group);
  const std::vector<Entry> entries = entries_of(group);
  const std::vector<int32_t> attribute_indices = attributes(own);
  const size_t begin = out.size();
  // A profile without value types still has a header.
  for (size_t i = 0; i < std::max<size_t>(group.columns.size(), 1); ++i) {
    message::Profile& profile = out.emplace_back();
    if (!group.columns.empty()) {
      profile = with_samples(entries, group.columns[i], group.has_times);
      profile.sample_type = dictionary_->value_type(profile_->value_types()[group.columns[i]]);
    }
    profile.time_unix_nano = static_cast<uint64_t>(own.fields.time_ns);
    profile.duration_nano = static_cast<uint64_t>(own.fields.duration_ns);
    profile.period = own.fields.period;
    profile.period_type = {dictionary_->string(own.fields.period_type), dictionary_->string(own.fields.period_unit)};
    profile.attribute_indices = attribute_indices;
  }
  // An id names one recording, not each column of it; the same goes for what it was made from.
  message::Profile& front = out[begin];
  front.original_payload_format = own.payload_format;
  front.original_payload = own.payload;
  const bool has_own_id = own.fields.id != header_.id;
  if (is_profile_id(own.fields.id) && (is_first || has_own_id)) front.profile_id = own.fields.id;
  if (!is_first) return;
  ProfileFields written = own.fields;
  written.id = front.profile_id;
  add_whole(written, front);
}

ProfileWriter::Own ProfileWriter::own_of(const RowGroup& group) const {
  Own own;
  own.fields = header_;
  take_field_labels(group.labels.profile, own);
  if (group.has_times) widen(group, own);
  // A label that can be told from the fields when reading need not be written.
  const auto is_told = [&](LabelId id) {
    const std::string_view key = profile_->text(profile_->labels[id].key);
    if (key == kPayload) return !own.payload.empty();
    if (key == kPayloadFormat) return !own.payload_format.empty();
    bool told = false;
    for_each_field(own.fields, header_, [&](std::string_view field_key, const auto& mine, const auto& header) {
      if (field_key != key || mine == header) return;
      const bool is_time = key == kTimeKey || key == kDurationKey;
      if (key == kIdKey && !is_profile_id(own.fields.id)) return;
      told =
          !(is_time && own.is_widened) && only_label(*profile_, group.labels.profile, key, label_type(key, mine)) != nullptr;
    });
    return told;
  };
  for (const LabelId id : group.labels.profile) {
    if (!is_told(id)) own.labels.push_back(id);
  }
  return own;
}

void ProfileWriter::take_field_labels(std::span<const LabelId> labels, Own& own) const {
  for_each_field(own.fields, own.fields, [&](std::string_view key, auto& mine, const auto&) {
    if (const Label* label = only_label(*profile_, labels, key, label_type(key, mine))) set_field(*profile_, *label, mine);
  });
  if (const Label* format = only_label(*profile_, labels, kPayloadFormat, LabelType::String)) {
    own.payload_format = profile_->text(format->text);
  }
  if (const Label* payload = only_label(*profile_, labels, kPayload, LabelType::Bytes))
    own.payload = profile_->text(payload->text);
}

// OTLP wants timestamps in [time, time + duration).
void ProfileWriter::widen(const RowGroup& group, Own& own) const {
  uint64_t first = std::numeric_limits<uint64_t>::max();
  uint64_t last = 0;
  for (const size_t row : group.rows) {
    const auto time = static_cast<uint64_t>(profile_->samples.time_ns(row));
    first = std::min(first, time);
    last = std::max(last, time);
  }
  const auto start = static_cast<uint64_t>(own.fields.time_ns);
  const uint64_t end = start + static_cast<uint64_t>(own.fields.duration_ns);
  if (start <= first && last < end) return;
  const uint64_t new_start = start == 0 ? first : std::min(start, first);
  const uint64_t new_end = std::max(end, last + 1);
  own.fields.time_ns = static_cast<int64_t>(new_start);
  own.fields.duration_ns = static_cast<int64_t>(new_end - new_start);
  own.is_widened = true;
}

std::vector<ProfileWriter::Entry> ProfileWriter::entries_of(const RowGroup& group) {
  std::vector<Entry> entries;
  std::map<std::pair<StackId, LabelSetId>, size_t> positions;
  entries.reserve(group.has_times ? 0 : group.rows.size());
  for (const size_t row : group.rows) {
    const StackId stack = profile_->samples.stack(row);
    const LabelSetId set = profile_->samples.labels(row);
    size_t position = entries.size();
    if (group.has_times) position = positions.emplace(std::pair(stack, set), position).first->second;
    if (position == entries.size()) {
      const SampleLabels& labels = sample_labels(set);
      entries.push_back({{dictionary_->stack(stack), labels.attribute_indices, labels.link_index, {}, {}}, {}});
    }
    entries[position].rows.push_back(row);
    if (group.has_times) {
      entries[position].identity.timestamps_unix_nano.push_back(static_cast<uint64_t>(profile_->samples.time_ns(row)));
    }
  }
  return entries;
}

const ProfileWriter::SampleLabels& ProfileWriter::sample_labels(LabelSetId set) {
  SampleLabels& known = sample_labels_[raw(set)];
  if (known.is_known) return known;
  known.is_known = true;
  const auto labels = parts_of(*profile_, set).sample;
  std::vector<LabelId> attributes(labels.begin(), labels.end());
  const Label* trace = only_label(*profile_, labels, kTraceId, LabelType::String);
  const Label* span = only_label(*profile_, labels, kSpanId, LabelType::String);
  const auto bytes_of = [&](const Label* label, size_t size) {
    const std::string_view text = label == nullptr ? std::string_view{} : profile_->text(label->text);
    auto bytes = from_hex(text).value_or("");
    const bool is_zero = bytes.find_first_not_of('\0') == std::string::npos;
    return bytes.size() == size && !is_zero && to_hex(bytes) == text ? bytes : std::string{};
  };
  const std::string trace_id = bytes_of(trace, 16);
  const std::string span_id = bytes_of(span, 8);
  if (!trace_id.empty() && !span_id.empty()) {
    known.link_index = dictionary_->link(trace_id, span_id);
    std::erase_if(attributes, [&](LabelId id) { return &profile_->labels[id] == trace || &profile_->labels[id] == span; });
  }
  known.attribute_indices = dictionary_->attributes(attributes, AttributeList::Sample);
  return known;
}

message::Profile ProfileWriter::with_samples(const std::vector<Entry>& entries, size_t column, bool has_times) const {
  const auto is_one = [&](size_t row) { return profile_->samples.value(row, column) == 1; };
  // Timestamps alone count one each.
  const bool needs_values = !has_times || !std::ranges::all_of(entries, [&](const Entry& entry) {
    return std::ranges::all_of(entry.rows, is_one);
  });
  message::Profile profile;
  profile.samples.reserve(entries.size());
  for (const Entry& entry : entries) {
    message::Sample& sample = profile.samples.emplace_back(entry.identity);
    if (!needs_values) continue;
    for (const size_t row : entry.rows) sample.values.push_back(profile_->samples.value(row, column));
  }
  return profile;
}

std::vector<int32_t> ProfileWriter::attributes(const Own& own) {
  const Header& header = profile_->header;
  std::span<const LabelId> header_labels = profile_->label_sets[header.attributes];
  // Without samples the wider ones are said of the scope and the resource (row_groups.h); they come last.
  if (profile_->samples.size() == 0) {
    const LabelParts parts = parts_of(*profile_, header.attributes);
    header_labels = header_labels.first(parts.sample.size() + parts.profile.size());
  }
  std::vector<int32_t> indices = dictionary_->attributes(
      has_profile_labels_ ? std::span<const LabelId>(own.labels) : header_labels, AttributeList::Profile);
  const auto add = [&](std::string_view key, AnyValue value) {
    indices.push_back(dictionary_->attribute(key, std::move(value)));
  };
  if (own.is_widened) add(kWidened, {true});
  const auto add_text = [&](std::string_view key, StringId text) {
    if (!profile_->text(text).empty()) add(key, any(profile_->text(text)));
  };
  add_text(kDropFrames, header.drop_frames);
  add_text(kKeepFrames, header.keep_frames);
  add_text(kDocUrl, header.doc_url);
  ArrayValue comments;
  for (const StringId comment : header.comments) comments.values.push_back(any(profile_->text(comment)));
  if (!comments.values.empty()) add(kComment, {std::move(comments)});
  return indices;
}

void ProfileWriter::add_whole(const ProfileFields& written, message::Profile& out) {
  const auto add = [&](std::string_view key, AnyValue value) {
    out.attribute_indices.push_back(dictionary_->attribute(key, std::move(value)));
  };
  if (written != header_) add(kHeader, to_value(header_));
  if (has_profile_labels_) {
    KeyValueList list;
    for (LabelAttribute& each :
         attributes_of(*profile_, profile_->label_sets[profile_->header.attributes], AttributeList::Profile)) {
      // A pair has no place for a unit, so it is a pair of pairs.
      ArrayValue parts{{any(each.unit), std::move(each.value)}};
      list.values.push_back({std::move(each.key), {std::move(parts)}});
    }
    add(kHeaderAttributes, {std::move(list)});
  }
  add_losses(out);
  ArrayValue facts;
  for (const Fact& fact : profile_->provenance) {
    facts.values.push_back(
        {KeyValueList{{{"key", any(profile_->text(fact.key))}, {"value", any(profile_->text(fact.value))}}}});
  }
  if (!facts.values.empty()) add(kProvenance, {std::move(facts)});
  const Overhead& overhead = profile_->overhead;
  if (overhead != Overhead{})
    add(kOverhead, {KeyValueList{{{"cpu_ns", any(overhead.cpu_ns)}, {"bytes", any(overhead.bytes)}}}});
}

void ProfileWriter::add_losses(message::Profile& out) {
  const auto is_dropped = [&](const Loss& loss) { return profile_->text(loss.reason) == kDroppedAttributes; };
  const bool has_field = std::ranges::count_if(profile_->losses, is_dropped) == 1;
  ArrayValue losses;
  for (const Loss& loss : profile_->losses) {
    if (has_field && is_dropped(loss) && loss.count <= std::numeric_limits<uint32_t>::max()) {
      out.dropped_attributes_count = static_cast<uint32_t>(loss.count);
      continue;
    }
    losses.values.push_back(
        {KeyValueList{{{"reason", any(profile_->text(loss.reason))}, {"count", any(static_cast<int64_t>(loss.count))}}}});
  }
  if (!losses.values.empty()) out.attribute_indices.push_back(dictionary_->attribute(kLoss, {std::move(losses)}));
}

}  // namespace atys::format::otlp
