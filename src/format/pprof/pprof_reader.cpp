// SPDX-License-Identifier: Apache-2.0
// Fields may come in any order, so a first pass notes where the messages are and takes the strings; then tables are read in the
// order of their references: mappings, functions, locations, samples. pprof's string indexes are our StringIds: the strings go
// into an empty table in their order.
#include "format/pprof/pprof_reader.h"

#include <algorithm>
#include <span>
#include <vector>

#include "format/pprof/fields.h"
#include "format/pprof/id_map.h"
#include "format/wire/wire_reader.h"

namespace atys::format::pprof {

using namespace profile;

namespace {

Error bad(size_t offset, const std::string& what) {
  return fail(ErrorCode::InvalidInput, "bad pprof data at offset " + std::to_string(offset) + ": " + what,
              "the file is damaged or its writer has a bug; get it again");
}

// Adds the numbers of a repeated integer field, packed or not.
template <typename Number>
bool append_numbers(const WireField& field, const WireReader& outer, std::vector<Number>& numbers) {
  if (field.type == WireType::Varint) {
    numbers.push_back(static_cast<Number>(field.value));
    return true;
  }
  WireReader packed = WireReader::nested(field, outer);
  for (uint64_t value = 0; packed.next_varint(value);) numbers.push_back(static_cast<Number>(value));
  return packed.ok() && field.type == WireType::Bytes;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Result<Profile> read() {
    TRY(note_messages());
    TRY(read_header());
    IdMap mapping_ids(mappings_.size());
    IdMap function_ids(functions_.size());
    IdMap location_ids(locations_.size());
    for (const std::string_view message : mappings_) TRY(read_mapping(message, mapping_ids));
    for (const std::string_view message : functions_) TRY(read_function(message, function_ids));
    for (const std::string_view message : locations_) TRY(read_location(message, mapping_ids, function_ids, location_ids));
    profile_.samples.reserve(samples_.size());
    for (const std::string_view message : samples_) TRY(read_sample(message, location_ids));
    return std::move(profile_);
  }

 private:
  Result<> note_messages();
  Result<> read_header();
  Result<> read_header_field(const WireField& field, const WireReader& outer);
  Result<> read_mapping(std::string_view message, IdMap& ids);
  Result<> read_function(std::string_view message, IdMap& ids);
  Result<> read_location(std::string_view message, const IdMap& mapping_ids, const IdMap& function_ids, IdMap& ids);
  Result<Line> read_line(const WireField& field, const WireReader& outer, const IdMap& function_ids);
  Result<> read_sample(std::string_view message, const IdMap& location_ids);
  Result<StackId> read_stack(const std::vector<uint64_t>& locations, const IdMap& ids, size_t offset);
  Result<LabelId> read_label(const WireField& field, const WireReader& outer);
  Result<ValueType> read_value_type(const WireField& field, const WireReader& outer);

  // Two string indexes, as in a fact, or one and a count, as in a loss.
  Result<std::pair<uint64_t, uint64_t>> read_pair(const WireField& field, const WireReader& outer);

  Result<StringId> string(const WireField& field) { return string(field.value, field.offset); }
  Result<StringId> string(uint64_t index, size_t offset) {
    if (index < string_count_) return StringId{static_cast<uint32_t>(index)};
    return bad(offset, "string " + std::to_string(index) + " does not exist; there are " + std::to_string(string_count_));
  }
  size_t offset_of(std::string_view message) const { return static_cast<size_t>(message.data() - bytes_.data()); }
  WireReader open(std::string_view message) const { return WireReader(message, offset_of(message)); }

  std::string_view bytes_;
  Profile profile_;
  size_t string_count_ = 0;
  std::vector<WireField> header_;
  std::vector<std::string_view> mappings_, functions_, locations_, samples_;
  std::vector<uint64_t> location_scratch_;
  std::vector<int64_t> value_scratch_;
  std::vector<LabelId> label_scratch_;
  std::vector<Line> line_scratch_;
  std::vector<FrameId> frame_scratch_;
};

Result<> Reader::note_messages() {
  WireReader reader(bytes_);
  for (WireField field; reader.next(field);) {
    const bool is_message = field.number <= kStringTable || field.number == kPeriodType;
    if (is_message && field.type != WireType::Bytes) return bad(field.offset, "a message is not a message");
    switch (field.number) {
      case kSample: samples_.push_back(field.bytes); break;
      case kMapping: mappings_.push_back(field.bytes); break;
      case kLocation: locations_.push_back(field.bytes); break;
      case kFunction: functions_.push_back(field.bytes); break;
      case kStringTable:
        if (string_count_ == 0 && !field.bytes.empty()) return bad(field.offset, "the first string is not empty");
        if (string_count_ >= kMaxTableSize) return bad(field.offset, "too many strings");
        if (string_count_ > 0) profile_.strings.append(field.bytes);
        ++string_count_;
        break;
      default: header_.push_back(field);
    }
  }
  if (!reader.ok()) return reader.error();
  const size_t most = std::max({samples_.size(), mappings_.size(), locations_.size(), functions_.size()});
  if (most >= kMaxTableSize) return bad(0, "too many rows");
  if (string_count_ == 0) return bad(bytes_.size(), "there is no string table");
  return {};
}

Result<> Reader::read_header() {
  const WireReader outer(bytes_);
  for (const WireField& field : header_) TRY(read_header_field(field, outer));
  if (profile_.value_types().empty()) return bad(bytes_.size(), "there is no sample type");
  return {};
}

Result<> Reader::read_header_field(const WireField& field, const WireReader& outer) {
  Header& header = profile_.header;
  switch (field.number) {
    case kSampleType: {
      const ValueType type = TRY(read_value_type(field, outer));
      if (profile_.value_types().size() >= 4096) return bad(field.offset, "more than 4096 sample types");
      profile_.add_value_type(std::string(profile_.text(type.type)), std::string(profile_.text(type.unit)));
      break;
    }
    case kDropFrames: header.drop_frames = TRY(string(field)); break;
    case kKeepFrames: header.keep_frames = TRY(string(field)); break;
    case kTimeNanos: header.time_ns = field.as_int64(); break;
    case kDurationNanos: header.duration_ns = field.as_int64(); break;
    case kPeriodType: header.period_type = TRY(read_value_type(field, outer)); break;
    case kPeriod: header.period = field.as_int64(); break;
    case kComment: {
      std::vector<uint64_t> comments;
      if (!append_numbers(field, outer, comments)) return bad(field.offset, "the comments are not numbers");
      for (const uint64_t comment : comments) header.comments.push_back(TRY(string(comment, field.offset)));
      break;
    }
    case kDefaultSampleType: header.default_value_type = TRY(string(field)); break;
    case kDocUrl: header.doc_url = TRY(string(field)); break;
    case kProfileId: header.id = profile_.strings.intern(field.bytes); break;
    case kProfileAttribute: label_scratch_.push_back(TRY(read_label(field, outer))); break;
    case kLoss: {
      const auto [reason, count] = TRY(read_pair(field, outer));
      profile_.losses.push_back({TRY(string(reason, field.offset)), count});
      break;
    }
    case kFact: {
      const auto [key, value] = TRY(read_pair(field, outer));
      profile_.provenance.push_back({TRY(string(key, field.offset)), TRY(string(value, field.offset))});
      break;
    }
    case kOverhead: {
      const auto [cpu_ns, size] = TRY(read_pair(field, outer));
      profile_.overhead = {static_cast<int64_t>(cpu_ns), static_cast<int64_t>(size)};
      break;
    }
    default: break;  // unknown fields are no error: that is how formats grow
  }
  if (field.number == kProfileAttribute) header.attributes = profile_.label_set(label_scratch_);
  return {};
}

Result<ValueType> Reader::read_value_type(const WireField& field, const WireReader& outer) {
  const auto [type, unit] = TRY(read_pair(field, outer));
  return ValueType{TRY(string(type, field.offset)), TRY(string(unit, field.offset))};
}

Result<std::pair<uint64_t, uint64_t>> Reader::read_pair(const WireField& field, const WireReader& outer) {
  std::pair<uint64_t, uint64_t> pair{0, 0};
  WireReader reader = WireReader::nested(field, outer);
  for (WireField part; reader.next(part);) {
    if (part.number == 1) pair.first = part.value;
    if (part.number == 2) pair.second = part.value;
  }
  if (!reader.ok()) return reader.error();
  return pair;
}

Result<> Reader::read_mapping(std::string_view message, IdMap& ids) {
  Mapping mapping;
  uint64_t id = 0;
  std::vector<LabelId> attributes;
  WireReader reader = open(message);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kMappingId: id = part.value; break;
      case kMemoryStart: mapping.start = part.value; break;
      case kMemoryLimit: mapping.limit = part.value; break;
      case kFileOffset: mapping.file_offset = part.value; break;
      case kFilename: mapping.filename = TRY(string(part)); break;
      case kBuildId: mapping.build_id = TRY(string(part)); break;
      case kHasFunctions: mapping.has_functions = part.value != 0; break;
      case kHasFilenames: mapping.has_filenames = part.value != 0; break;
      case kHasLineNumbers: mapping.has_line_numbers = part.value != 0; break;
      case kHasInlineFrames: mapping.has_inline_frames = part.value != 0; break;
      case kMappingAttribute: attributes.push_back(TRY(read_label(part, reader))); break;
      default: break;
    }
  }
  if (!reader.ok()) return reader.error();
  mapping.attributes = profile_.label_set(std::move(attributes));
  const MappingId position = profile_.mappings.append(mapping);
  if (id == 0 || !ids.add(id, raw(position))) return bad(offset_of(message), "mapping id " + std::to_string(id) + " is zero or used twice");
  return {};
}

Result<> Reader::read_function(std::string_view message, IdMap& ids) {
  Function function;
  uint64_t id = 0;
  WireReader reader = open(message);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kFuncId: id = part.value; break;
      case kName: function.name = TRY(string(part)); break;
      case kSystemName: function.system_name = TRY(string(part)); break;
      case kFuncFilename: function.filename = TRY(string(part)); break;
      case kStartLine: function.start_line = part.as_int64(); break;
      default: break;
    }
  }
  if (!reader.ok()) return reader.error();
  const FunctionId position = profile_.functions.append(function);
  if (id == 0 || !ids.add(id, raw(position))) return bad(offset_of(message), "function id " + std::to_string(id) + " is zero or used twice");
  return {};
}

Result<Line> Reader::read_line(const WireField& field, const WireReader& outer, const IdMap& function_ids) {
  Line line;
  uint64_t id = 0;
  WireReader reader = WireReader::nested(field, outer);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kFunctionId: id = part.value; break;
      case kLineNumber: line.line = part.as_int64(); break;
      case kColumn: line.column = part.as_int64(); break;
      default: break;
    }
  }
  if (!reader.ok()) return reader.error();
  uint32_t position = 0;
  if (!function_ids.find(id, position)) return bad(field.offset, "function " + std::to_string(id) + " does not exist");
  line.function = FunctionId{position};
  return line;
}

Result<> Reader::read_location(std::string_view message, const IdMap& mapping_ids, const IdMap& function_ids, IdMap& ids) {
  Frame frame;
  uint64_t id = 0;
  uint64_t mapping_id = 0;
  line_scratch_.clear();
  std::vector<LabelId> attributes;
  WireReader reader = open(message);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kLocId: id = part.value; break;
      case kLocMappingId: mapping_id = part.value; break;
      case kAddress: frame.address = part.value; break;
      case kLine: line_scratch_.push_back(TRY(read_line(part, reader, function_ids))); break;
      case kIsFolded: frame.is_folded = part.value != 0; break;
      case kFrameKind: frame.kind = TRY(string(part)); break;
      case kFrameAttribute: attributes.push_back(TRY(read_label(part, reader))); break;
      default: break;
    }
  }
  if (!reader.ok()) return reader.error();
  uint32_t mapping = 0;
  if (mapping_id != 0 && !mapping_ids.find(mapping_id, mapping)) {
    return bad(offset_of(message), "mapping " + std::to_string(mapping_id) + " does not exist");
  }
  frame.mapping = MappingId{mapping};
  frame.lines = line_scratch_.empty() ? LineListId{} : profile_.lines.append(line_scratch_);
  frame.attributes = profile_.label_set(std::move(attributes));
  const FrameId position = profile_.frames.append(frame);
  if (id == 0 || !ids.add(id, raw(position))) return bad(offset_of(message), "location id " + std::to_string(id) + " is zero or used twice");
  return {};
}

Result<> Reader::read_sample(std::string_view message, const IdMap& location_ids) {
  location_scratch_.clear();
  value_scratch_.clear();
  label_scratch_.clear();
  int64_t time_ns = 0;
  WireReader reader = open(message);
  for (WireField part; reader.next(part);) {
    bool fits = true;
    switch (part.number) {
      case kLocationId: fits = append_numbers(part, reader, location_scratch_); break;
      case kValue: fits = append_numbers(part, reader, value_scratch_); break;
      case kLabel: label_scratch_.push_back(TRY(read_label(part, reader))); break;
      case kSampleTime: time_ns = part.as_int64(); break;
      default: break;
    }
    if (!fits) return bad(part.offset, "a list of numbers is cut short");
  }
  if (!reader.ok()) return reader.error();
  if (value_scratch_.size() != profile_.value_types().size()) {
    return bad(offset_of(message), "a sample has " + std::to_string(value_scratch_.size()) + " values for " +
                                 std::to_string(profile_.value_types().size()) + " sample types");
  }
  const StackId stack = TRY(read_stack(location_scratch_, location_ids, offset_of(message)));
  const LabelSetId labels = label_scratch_.empty() ? kNoLabels : profile_.label_set(label_scratch_);
  profile_.samples.add(stack, labels, value_scratch_, time_ns);
  return {};
}

Result<StackId> Reader::read_stack(const std::vector<uint64_t>& locations, const IdMap& ids, size_t offset) {
  frame_scratch_.clear();
  for (const uint64_t id : locations) {
    uint32_t frame = 0;
    if (!ids.find(id, frame)) return bad(offset, "location " + std::to_string(id) + " does not exist");
    frame_scratch_.push_back(FrameId{frame});
  }
  return profile_.stacks.intern(frame_scratch_);
}

Result<LabelId> Reader::read_label(const WireField& field, const WireReader& outer) {
  Label label;
  uint64_t type_plus_one = 0;
  uint64_t scope = 0;
  WireReader reader = WireReader::nested(field, outer);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kKey: label.key = TRY(string(part)); break;
      case kStr: label.text = TRY(string(part)); break;
      case kNum: label.number = part.as_int64(); break;
      case kNumUnit: label.unit = TRY(string(part)); break;
      case kLabelType: type_plus_one = part.value; break;
      case kLabelScope: scope = part.value; break;
      case kLabelBits: label.number = part.as_int64(); break;
      default: break;
    }
  }
  if (!reader.ok()) return reader.error();
  if (type_plus_one > static_cast<uint64_t>(LabelType::Json) + 1) return bad(field.offset, "unknown label type");
  if (scope > static_cast<uint64_t>(LabelScope::Resource)) return bad(field.offset, "unknown label scope");
  label.scope = static_cast<LabelScope>(scope);
  if (type_plus_one != 0) {
    label.type = static_cast<LabelType>(type_plus_one - 1);
  } else {
    label.type = label.text != kNoString ? LabelType::String : LabelType::Int;
    if (label.type == LabelType::String) label.number = 0;
  }
  return profile_.labels.intern(label);
}

}  // namespace

Result<Profile> read_pprof(std::string_view bytes) { return Reader(bytes).read(); }

}  // namespace atys::format::pprof
