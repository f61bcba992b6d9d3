// SPDX-License-Identifier: Apache-2.0
// Tables go out in their own order with their positions as ids, so a profile that was read from pprof looks the same after.
#include "format/pprof/pprof_writer.h"

#include "format/pprof/fields.h"
#include "format/wire/wire_writer.h"

namespace atys::format::pprof {

using namespace profile;

namespace {

class Writer {
 public:
  explicit Writer(const Profile& profile) : profile_(profile), wire_(out_), inner_(message_), leaf_(submessage_) {}

  std::string write() {
    for (const ValueType& type : profile_.value_types()) write_value_type(kSampleType, type);
    for (size_t row = 0; row < profile_.samples.size(); ++row) write_sample(row);
    for (uint32_t i = 1; i < profile_.mappings.size(); ++i) write_mapping(MappingId{i});
    for (uint32_t i = 1; i < profile_.frames.size(); ++i) write_location(FrameId{i});
    for (uint32_t i = 1; i < profile_.functions.size(); ++i) write_function(FunctionId{i});
    for (uint32_t i = 0; i < profile_.strings.size(); ++i) wire_.always_bytes(kStringTable, profile_.text(StringId{i}));
    write_header();
    write_extensions();
    return std::move(out_);
  }

 private:
  void string(WireWriter& to, uint32_t number, StringId id) { to.varint(number, raw(id)); }

  // Ends the message begun in message_.
  void finish(uint32_t number) {
    wire_.always_bytes(number, message_);
    message_.clear();
  }

  void write_value_type(uint32_t number, const ValueType& type) {
    string(inner_, kType, type.type);
    string(inner_, kUnit, type.unit);
    finish(number);
  }

  void write_sample(size_t row) {
    submessage_.clear();
    for (const FrameId frame : profile_.stacks[profile_.samples.stack(row)]) leaf_.raw_varint(raw(frame));
    inner_.bytes(kLocationId, submessage_);
    submessage_.clear();
    for (size_t type = 0; type < profile_.value_types().size(); ++type) {
      leaf_.raw_varint(static_cast<uint64_t>(profile_.samples.value(row, type)));
    }
    inner_.bytes(kValue, submessage_);
    write_labels(kLabel, profile_.samples.labels(row));
    inner_.int64(kSampleTime, profile_.samples.time_ns(row));
    finish(kSample);
  }

  void write_labels(uint32_t number, LabelSetId set) {
    for (const LabelId id : profile_.label_sets[set]) {
      write_label(profile_.labels[id]);
      inner_.always_bytes(number, submessage_);
    }
  }

  // Into submessage_.
  void write_label(const Label& label) {
    submessage_.clear();
    const bool is_plain_string = label.type == LabelType::String && label.text != kNoString;
    const bool is_plain_int = label.type == LabelType::Int;
    string(leaf_, kKey, label.key);
    string(leaf_, kStr, label.text);
    if (label.type != LabelType::Double) leaf_.int64(kNum, label.number);
    string(leaf_, kNumUnit, label.unit);
    if (!is_plain_string && !is_plain_int) leaf_.varint(kLabelType, static_cast<uint64_t>(label.type) + 1);
    leaf_.varint(kLabelScope, static_cast<uint64_t>(label.scope));
    if (label.type == LabelType::Double) leaf_.fixed64(kLabelBits, static_cast<uint64_t>(label.number));
  }

  void write_mapping(MappingId id) {
    const Mapping& mapping = profile_.mappings[id];
    inner_.varint(kMappingId, raw(id));
    inner_.varint(kMemoryStart, mapping.start);
    inner_.varint(kMemoryLimit, mapping.limit);
    inner_.varint(kFileOffset, mapping.file_offset);
    string(inner_, kFilename, mapping.filename);
    string(inner_, kBuildId, mapping.build_id);
    inner_.boolean(kHasFunctions, mapping.has_functions);
    inner_.boolean(kHasFilenames, mapping.has_filenames);
    inner_.boolean(kHasLineNumbers, mapping.has_line_numbers);
    inner_.boolean(kHasInlineFrames, mapping.has_inline_frames);
    write_labels(kMappingAttribute, mapping.attributes);
    finish(kMapping);
  }

  void write_location(FrameId id) {
    const Frame& frame = profile_.frames[id];
    inner_.varint(kLocId, raw(id));
    inner_.varint(kLocMappingId, raw(frame.mapping));
    inner_.varint(kAddress, frame.address);
    for (const Line& line : profile_.lines[frame.lines]) {
      submessage_.clear();
      leaf_.varint(kFunctionId, raw(line.function));
      leaf_.int64(kLineNumber, line.line);
      leaf_.int64(kColumn, line.column);
      inner_.always_bytes(kLine, submessage_);
    }
    inner_.boolean(kIsFolded, frame.is_folded);
    string(inner_, kFrameKind, frame.kind);
    write_labels(kFrameAttribute, frame.attributes);
    finish(kLocation);
  }

  void write_function(FunctionId id) {
    const Function& function = profile_.functions[id];
    inner_.varint(kFuncId, raw(id));
    string(inner_, kName, function.name);
    string(inner_, kSystemName, function.system_name);
    string(inner_, kFuncFilename, function.filename);
    inner_.int64(kStartLine, function.start_line);
    finish(kFunction);
  }

  void write_header() {
    const Header& header = profile_.header;
    string(wire_, kDropFrames, header.drop_frames);
    string(wire_, kKeepFrames, header.keep_frames);
    wire_.int64(kTimeNanos, header.time_ns);
    wire_.int64(kDurationNanos, header.duration_ns);
    if (header.period_type != ValueType{}) write_value_type(kPeriodType, header.period_type);
    wire_.int64(kPeriod, header.period);
    for (const StringId comment : header.comments) wire_.always_varint(kComment, raw(comment));
    string(wire_, kDefaultSampleType, header.default_value_type);
    string(wire_, kDocUrl, header.doc_url);
  }

  void write_extensions() {
    wire_.bytes(kProfileId, profile_.text(profile_.header.id));
    for (const LabelId id : profile_.label_sets[profile_.header.attributes]) {
      write_label(profile_.labels[id]);
      wire_.always_bytes(kProfileAttribute, submessage_);
    }
    for (const Loss& loss : profile_.losses) write_pair(kLoss, raw(loss.reason), loss.count);
    for (const Fact& fact : profile_.provenance) write_pair(kFact, raw(fact.key), raw(fact.value));
    if (profile_.overhead != Overhead{}) {
      write_pair(kOverhead, static_cast<uint64_t>(profile_.overhead.cpu_ns), static_cast<uint64_t>(profile_.overhead.bytes));
    }
  }

  void write_pair(uint32_t number, uint64_t first, uint64_t second) {
    inner_.varint(1, first);
    inner_.varint(2, second);
    finish(number);
  }

  const Profile& profile_;
  std::string out_, message_, submessage_;
  WireWriter wire_, inner_, leaf_;
};

}  // namespace

std::string write_pprof(const Profile& profile) { return Writer(profile).write(); }

}  // namespace atys::format::pprof
