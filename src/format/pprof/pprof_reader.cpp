// SPDX-License-Identifier: Apache-2.0
// Fields may come in any order, so a first pass notes where the messages are and takes the strings; then tables are read in
// the order of their references: mappings, functions, locations, samples. pprof's string indexes are our StringIds: the
// strings go into an empty table in their order.
#include "format/pprof/pprof_reader.h"

#include <algorithm>
#include <optional>
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
    reserve();
    IdMap mapping_ids(mappings_.size());
    IdMap function_ids(functions_.size());
    IdMap location_ids(locations_.size());
    for (const std::string_view message : mappings_) TRY(read_mapping(message, mapping_ids));
    for (const std::string_view message : functions_) TRY(read_function(message, function_ids));
    for (const std::string_view message : locations_) TRY(read_location(message, mapping_ids, function_ids, location_ids));
    for (const std::string_view message : samples_) TRY(read_sample(message, location_ids));
    return std::move(profile_);
  }

 private:
  Result<> note_messages();
  void reserve();
  Result<> read_header();
  Result<> read_header_field(const WireField& field, const WireReader& outer);
  Result<> read_mapping(std::string_view message, IdMap& ids);
  Result<> read_function(std::string_view message, IdMap& ids);
  Result<> read_location(std::string_view message, const IdMap& mapping_ids, const IdMap& function_ids, IdMap& ids);
  Result<> read_line(const WireField& field, const WireReader& outer, const IdMap& function_ids);
  Result<> read_sample(std::string_view message, const IdMap& location_ids);
  Result<> read_frames(const WireField& field, const WireReader& outer, const IdMap& ids);
  Result<LabelId> read_label(const WireField& field, const WireReader& outer);
  Result<ValueType> read_value_type(const WireField& field, const WireReader& outer);

  // Two string indexes, as in a fact, or one and a count, as in a loss.
  Result<std::pair<uint64_t, uint64_t>> read_pair(const WireField& field, const WireReader& outer);

  // An index out of range is remembered, and the message that it is in fails at its end: see `end_of`.
  StringId string(const WireField& field) { return string(field.value, field.offset); }
  StringId string(uint64_t index, size_t offset) {
    if (index < string_count_) return StringId{static_cast<uint32_t>(index)};
    if (!bad_index_) bad_index_ = {index, offset};
    return kNoString;
  }
  Result<> end_of(const WireReader& reader) const {
    if (!reader.ok()) return reader.error();
    if (!bad_index_) return {};
    return bad(bad_index_->second, "string " + std::to_string(bad_index_->first) + " does not exist; there are " +
                                       std::to_string(string_count_));
  }
  size_t offset_of(std::string_view message) const { return static_cast<size_t>(message.data() - bytes_.data()); }
  WireReader open(std::string_view message) const { return WireReader(message, offset_of(message)); }

  std::string_view bytes_;
  Profile profile_;
  size_t string_count_ = 0;
  std::optional<std::pair<uint64_t, size_t>> bad_index_;  // index and offset of the first
  std::vector<WireField> header_;
  std::vector<std::string_view> mappings_, functions_, locations_, samples_;
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

void Reader::reserve() {
  profile_.mappings.reserve(mappings_.size() + 1);
  profile_.functions.reserve(functions_.size() + 1);
  profile_.frames.reserve(locations_.size() + 1);
  profile_.lines.reserve(locations_.size() + 1, locations_.size());
  profile_.samples.reserve(samples_.size());
  // A location id takes one to three bytes, and values and labels take some too.
  size_t sample_bytes = 0;
  for (const std::string_view message : samples_) sample_bytes += message.size();
  profile_.stacks.reserve(samples_.size() + 1, sample_bytes / 3);
}

Result<> Reader::read_header() {
  const WireReader outer(bytes_);
  for (const WireField& field : header_) TRY(read_header_field(field, outer));
  TRY(end_of(outer));
  if (profile_.value_types().empty()) return bad(bytes_.size(), "there is no sample type");
  return {};
}

Result<> Reader::read_header_field(const WireField& field, const WireReader& outer) {
  Header& header = profile_.header;
  switch (field.number) {
    case kSampleType: {
      const ValueType type = TRY(read_value_type(field, outer));
      if (profile_.value_types().size() >= 4096) return bad(field.offset, "more than 4096 sample types");
      profile_.add_value_type(type);
      break;
    }
    case kDropFrames: header.drop_frames = string(field); break;
    case kKeepFrames: header.keep_frames = string(field); break;
    case kTimeNanos: header.time_ns = field.as_int64(); break;
    case kDurationNanos: header.duration_ns = field.as_int64(); break;
    case kPeriodType: header.period_type = TRY(read_value_type(field, outer)); break;
    case kPeriod: header.period = field.as_int64(); break;
    case kComment: {
      std::vector<uint64_t> comments;
      if (!append_numbers(field, outer, comments)) return bad(field.offset, "the comments are not numbers");
      for (const uint64_t comment : comments) header.comments.push_back(string(comment, field.offset));
      break;
    }
    case kDefaultSampleType: header.default_value_type = string(field); break;
    case kDocUrl: header.doc_url = string(field); break;
    case kProfileId: header.id = profile_.strings.intern(field.bytes); break;
    case kProfileAttribute: label_scratch_.push_back(TRY(read_label(field, outer))); break;
    case kLoss: {
      const auto [reason, count] = TRY(read_pair(field, outer));
      profile_.losses.push_back({string(reason, field.offset), count});
      break;
    }
    case kFact: {
      const auto [key, value] = TRY(read_pair(field, outer));
      profile_.provenance.push_back({string(key, field.offset), string(value, field.offset)});
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
  return ValueType{string(type, field.offset), string(unit, field.offset)};
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
      case kFilename: mapping.filename = string(part); break;
      case kBuildId: mapping.build_id = string(part); break;
      case kHasFunctions: mapping.has_functions = part.value != 0; break;
      case kHasFilenames: mapping.has_filenames = part.value != 0; break;
      case kHasLineNumbers: mapping.has_line_numbers = part.value != 0; break;
      case kHasInlineFrames: mapping.has_inline_frames = part.value != 0; break;
      case kMappingAttribute: attributes.push_back(TRY(read_label(part, reader))); break;
      default: break;
    }
  }
  TRY(end_of(reader));
  mapping.attributes = profile_.label_set(std::move(attributes));
  const MappingId position = profile_.mappings.append(mapping);
  if (id == 0 || !ids.add(id, raw(position)))
    return bad(offset_of(message), "mapping id " + std::to_string(id) + " is zero or used twice");
  return {};
}

Result<> Reader::read_function(std::string_view message, IdMap& ids) {
  Function function;
  uint64_t id = 0;
  WireReader reader = open(message);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kFuncId: id = part.value; break;
      case kName: function.name = string(part); break;
      case kSystemName: function.system_name = string(part); break;
      case kFuncFilename: function.filename = string(part); break;
      case kStartLine: function.start_line = part.as_int64(); break;
      default: break;
    }
  }
  TRY(end_of(reader));
  const FunctionId position = profile_.functions.append(function);
  if (id == 0 || !ids.add(id, raw(position)))
    return bad(offset_of(message), "function id " + std::to_string(id) + " is zero or used twice");
  return {};
}

Result<> Reader::read_line(const WireField& field, const WireReader& outer, const IdMap& function_ids) {
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
  line_scratch_.push_back(line);
  return {};
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
      case kLine: TRY(read_line(part, reader, function_ids)); break;
      case kIsFolded: frame.is_folded = part.value != 0; break;
      case kFrameKind: frame.kind = string(part); break;
      case kFrameAttribute: attributes.push_back(TRY(read_label(part, reader))); break;
      default: break;
    }
  }
  TRY(end_of(reader));
  uint32_t mapping = 0;
  if (mapping_id != 0 && !mapping_ids.find(mapping_id, mapping)) {
    return bad(offset_of(message), "mapping " + std::to_string(mapping_id) + " does not exist");
  }
  frame.mapping = MappingId{mapping};
  frame.lines = line_scratch_.empty() ? LineListId{} : profile_.lines.append(line_scratch_);
  frame.attributes = profile_.label_set(std::move(attributes));
  const FrameId position = profile_.frames.append(frame);
  if (id == 0 || !ids.add(id, raw(position)))
    return bad(offset_of(message), "location id " + std::to_string(id) + " is zero or used twice");
  return {};
}

Result<> Reader::read_sample(std::string_view message, const IdMap& location_ids) {
  frame_scratch_.clear();
  value_scratch_.clear();
  label_scratch_.clear();
  int64_t time_ns = 0;
  WireReader reader = open(message);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kLocationId: TRY(read_frames(part, reader, location_ids)); break;
      case kValue:
        if (!append_numbers(part, reader, value_scratch_)) return bad(part.offset, "a list of numbers is cut short");
        break;
      case kLabel: label_scratch_.push_back(TRY(read_label(part, reader))); break;
      case kSampleTime: time_ns = part.as_int64(); break;
      default: break;
    }
  }
  if (!reader.ok()) return reader.error();
  if (value_scratch_.size() != profile_.value_types().size()) {
    return bad(offset_of(message), "a sample has " + std::to_string(value_scratch_.size()) + " values for " +
                                       std::to_string(profile_.value_types().size()) + " sample types");
  }
  // Samples differ in stack or labels. Without labels, then, stacks are all different and need not be looked up.
  const bool is_plain = label_scratch_.empty();
  const LabelSetId labels = is_plain ? kNoLabels : profile_.label_set(label_scratch_);
  const StackId stack = frame_scratch_.empty() ? kEmptyStack
                        : is_plain             ? profile_.stacks.append(frame_scratch_)
                                               : profile_.stacks.intern(frame_scratch_);
  profile_.samples.add(stack, labels, value_scratch_, time_ns);
  return {};
}

// Adds the frames of a list of location ids, packed or not.
Result<> Reader::read_frames(const WireField& field, const WireReader& outer, const IdMap& ids) {
  uint32_t frame = 0;
  if (field.type == WireType::Varint) {
    if (!ids.find(field.value, frame))
      return bad(field.offset, "location " + std::to_string(field.value) + " does not exist");
    frame_scratch_.push_back(FrameId{frame});
    return {};
  }
  if (field.type != WireType::Bytes) return bad(field.offset, "the locations are not numbers");
  WireReader packed = WireReader::nested(field, outer);
  for (uint64_t id = 0; packed.next_varint(id);) {
    if (!ids.find(id, frame)) return bad(field.offset, "location " + std::to_string(id) + " does not exist");
    frame_scratch_.push_back(FrameId{frame});
  }
  if (!packed.ok()) return packed.error();
  return {};
}

Result<LabelId> Reader::read_label(const WireField& field, const WireReader& outer) {
  Label label;
  uint64_t type_plus_one = 0;
  uint64_t scope = 0;
  WireReader reader = WireReader::nested(field, outer);
  for (WireField part; reader.next(part);) {
    switch (part.number) {
      case kKey: label.key = string(part); break;
      case kStr: label.text = string(part); break;
      case kNum: label.number = part.as_int64(); break;
      case kNumUnit: label.unit = string(part); break;
      case kLabelType: type_plus_one = part.value; break;
      case kLabelScope: scope = part.value; break;
      case kLabelBits: label.number = part.as_int64(); break;
      default: break;
    }
  }
  TRY(end_of(reader));
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
