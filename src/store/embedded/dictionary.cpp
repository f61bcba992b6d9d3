// SPDX-License-Identifier: Apache-2.0
// A chunk: version, the sizes before it, the number of entries that it adds to each table, then the tables in the order in
// which they refer to each other, column by column.
#include "store/embedded/dictionary.h"

#include "store/byte_codec.h"

namespace atys::store {

using namespace profile;

namespace {

constexpr uint64_t kVersion = 1;

enum Table { kStrings, kLabels, kLabelSets, kMappings, kFunctions, kLines, kFrames, kStacks };

template <typename Row, typename Field>
void write_column(ByteWriter& writer, std::span<const Row> rows, const Field& field) {
  for (const Row& row : rows) writer.number(static_cast<uint64_t>(field(row)));
}

template <typename Row, typename Field>
void write_signed_column(ByteWriter& writer, std::span<const Row> rows, const Field& field) {
  for (const Row& row : rows) writer.signed_number(field(row));
}

// Lengths of the lists first: the reader then knows how much of each table is there already.
template <typename List>
void write_lengths(ByteWriter& writer, const List& list, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; ++i) writer.number(list(i).size());
}

unsigned flags_of(const Mapping& mapping) {
  return (mapping.has_functions ? 1u : 0u) | (mapping.has_filenames ? 2u : 0u) | (mapping.has_line_numbers ? 4u : 0u) |
         (mapping.has_inline_frames ? 8u : 0u);
}

void write_labels(ByteWriter& writer, std::span<const Label> rows) {
  write_column(writer, rows, [](const Label& row) { return raw(row.key); });
  write_column(writer, rows, [](const Label& row) { return raw(row.text); });
  write_signed_column(writer, rows, [](const Label& row) { return row.number; });
  write_column(writer, rows, [](const Label& row) { return raw(row.unit); });
  write_column(writer, rows, [](const Label& row) { return row.type; });
  write_column(writer, rows, [](const Label& row) { return row.scope; });
}

void write_mappings(ByteWriter& writer, std::span<const Mapping> rows) {
  write_column(writer, rows, [](const Mapping& row) { return row.start; });
  write_column(writer, rows, [](const Mapping& row) { return row.limit - row.start; });
  write_column(writer, rows, [](const Mapping& row) { return row.file_offset; });
  write_column(writer, rows, [](const Mapping& row) { return raw(row.filename); });
  write_column(writer, rows, [](const Mapping& row) { return raw(row.build_id); });
  write_column(writer, rows, [](const Mapping& row) { return raw(row.attributes); });
  write_column(writer, rows, [](const Mapping& row) { return flags_of(row); });
}

void write_functions(ByteWriter& writer, std::span<const Function> rows) {
  write_column(writer, rows, [](const Function& row) { return raw(row.name); });
  write_column(writer, rows, [](const Function& row) { return raw(row.system_name); });
  write_column(writer, rows, [](const Function& row) { return raw(row.filename); });
  write_signed_column(writer, rows, [](const Function& row) { return row.start_line; });
}

void write_frames(ByteWriter& writer, std::span<const Frame> rows) {
  write_column(writer, rows, [](const Frame& row) { return row.address; });
  write_column(writer, rows, [](const Frame& row) { return raw(row.mapping); });
  write_column(writer, rows, [](const Frame& row) { return raw(row.lines); });
  write_column(writer, rows, [](const Frame& row) { return raw(row.kind); });
  write_column(writer, rows, [](const Frame& row) { return raw(row.attributes); });
  write_column(writer, rows, [](const Frame& row) { return row.is_folded ? 1 : 0; });
}

// Reads the columns of a chunk into rows, and appends those rows that the dictionary does not have.
class ChunkReader {
 public:
  ChunkReader(std::string_view bytes, Profile& tables, const Dictionary::Sizes& had)
      : reader_(bytes), tables_(tables), had_(had) {}

  Result<> read() {
    if (reader_.number() != kVersion) return fail(ErrorCode::InvalidInput, "dictionary chunk of an unknown version");
    for (size_t table = 0; table < had_.size(); ++table) {
      begin_[table] = static_cast<uint32_t>(reader_.below(kMaxTableSize));
      if (begin_[table] > had_[table]) return fail(ErrorCode::InvalidInput, "dictionary has a gap: a chunk is missing");
    }
    for (uint32_t& count : count_) count = static_cast<uint32_t>(reader_.below(reader_.left() + 1));
    for (size_t table = 0; table < had_.size(); ++table) {
      if (uint64_t{begin_[table]} + count_[table] >= kMaxTableSize) reader_.stop();
    }
    strings();
    labels();
    label_sets();
    mappings();
    functions();
    lines();
    frames();
    stacks();
    if (!reader_.ok()) return fail(ErrorCode::InvalidInput, "dictionary chunk is damaged");
    return {};
  }

 private:
  // Calls `take(i)` for the rows of a table that are new, if all of its columns could be read.
  template <typename Take>
  void take_new(Table table, const Take& take) {
    if (!reader_.ok()) return;
    for (uint32_t i = 0; i < count_[table]; ++i) {
      if (begin_[table] + i >= had_[table]) take(i);
    }
  }

  template <typename Row, typename Read>
  void column(std::vector<Row>& rows, const Read& read) {
    for (size_t i = 0; i < rows.size() && reader_.ok(); ++i) read(rows[i]);
  }

  template <typename Id>
  Id id_in(size_t size) {
    return Id{static_cast<uint32_t>(reader_.below(size))};
  }
  StringId string_id() { return id_in<StringId>(tables_.strings.size()); }
  LabelSetId label_set_id() { return id_in<LabelSetId>(tables_.label_sets.size()); }

  std::vector<uint32_t> lengths(Table table) {
    std::vector<uint32_t> result(reader_.ok() ? count_[table] : 0);
    for (uint32_t& length : result) length = static_cast<uint32_t>(reader_.count());
    return result;
  }

  // Lists of ids or rows, end to end.
  template <typename Item, typename Read, typename Append>
  void lists(Table table, const Read& read, const Append& append) {
    const std::vector<uint32_t> sizes = lengths(table);
    std::vector<Item> items;
    for (uint32_t i = 0; i < sizes.size() && reader_.ok(); ++i) {
      items.clear();
      for (uint32_t left = sizes[i]; left > 0 && reader_.ok(); --left) items.push_back(read());
      if (reader_.ok() && begin_[table] + i >= had_[table]) append(items);
    }
  }

  void strings() {
    const std::vector<uint32_t> sizes = lengths(kStrings);
    for (uint32_t i = 0; i < sizes.size() && reader_.ok(); ++i) {
      const std::string_view text = reader_.raw(sizes[i]);
      if (reader_.ok() && begin_[kStrings] + i >= had_[kStrings]) tables_.strings.append(text);
    }
  }

  void labels() {
    std::vector<Label> rows(reader_.ok() ? count_[kLabels] : 0);
    column(rows, [&](Label& row) { row.key = string_id(); });
    column(rows, [&](Label& row) { row.text = string_id(); });
    column(rows, [&](Label& row) { row.number = reader_.signed_number(); });
    column(rows, [&](Label& row) { row.unit = string_id(); });
    column(rows, [&](Label& row) { row.type = static_cast<LabelType>(reader_.below(6)); });
    column(rows, [&](Label& row) { row.scope = static_cast<LabelScope>(reader_.below(4)); });
    take_new(kLabels, [&](uint32_t i) { tables_.labels.append(rows[i]); });
  }

  void label_sets() {
    lists<LabelId>(
        kLabelSets, [&] { return id_in<LabelId>(tables_.labels.size()); },
        [&](const std::vector<LabelId>& items) { tables_.label_sets.append(items); });
  }

  void mappings() {
    std::vector<Mapping> rows(reader_.ok() ? count_[kMappings] : 0);
    column(rows, [&](Mapping& row) { row.start = reader_.number(); });
    column(rows, [&](Mapping& row) { row.limit = row.start + reader_.number(); });
    column(rows, [&](Mapping& row) { row.file_offset = reader_.number(); });
    column(rows, [&](Mapping& row) { row.filename = string_id(); });
    column(rows, [&](Mapping& row) { row.build_id = string_id(); });
    column(rows, [&](Mapping& row) { row.attributes = label_set_id(); });
    column(rows, [&](Mapping& row) {
      const uint64_t flags = reader_.below(16);
      row.has_functions = flags & 1;
      row.has_filenames = flags & 2;
      row.has_line_numbers = flags & 4;
      row.has_inline_frames = flags & 8;
    });
    take_new(kMappings, [&](uint32_t i) { tables_.mappings.append(rows[i]); });
  }

  void functions() {
    std::vector<Function> rows(reader_.ok() ? count_[kFunctions] : 0);
    column(rows, [&](Function& row) { row.name = string_id(); });
    column(rows, [&](Function& row) { row.system_name = string_id(); });
    column(rows, [&](Function& row) { row.filename = string_id(); });
    column(rows, [&](Function& row) { row.start_line = reader_.signed_number(); });
    take_new(kFunctions, [&](uint32_t i) { tables_.functions.append(rows[i]); });
  }

  void lines() {
    lists<Line>(
        kLines,
        [&] {
          Line line;
          line.line = reader_.signed_number();
          line.column = reader_.signed_number();
          line.function = id_in<FunctionId>(tables_.functions.size());
          return line;
        },
        [&](const std::vector<Line>& items) { tables_.lines.append(items); });
  }

  void frames() {
    std::vector<Frame> rows(reader_.ok() ? count_[kFrames] : 0);
    column(rows, [&](Frame& row) { row.address = reader_.number(); });
    column(rows, [&](Frame& row) { row.mapping = id_in<MappingId>(tables_.mappings.size()); });
    column(rows, [&](Frame& row) { row.lines = id_in<LineListId>(tables_.lines.size()); });
    column(rows, [&](Frame& row) { row.kind = string_id(); });
    column(rows, [&](Frame& row) { row.attributes = label_set_id(); });
    column(rows, [&](Frame& row) { row.is_folded = reader_.below(2) == 1; });
    take_new(kFrames, [&](uint32_t i) { tables_.frames.append(rows[i]); });
  }

  void stacks() {
    lists<FrameId>(
        kStacks, [&] { return id_in<FrameId>(tables_.frames.size()); },
        [&](const std::vector<FrameId>& items) { tables_.stacks.append(items); });
  }

  ByteReader reader_;
  Profile& tables_;
  Dictionary::Sizes had_;
  Dictionary::Sizes begin_{}, count_{};
};

}  // namespace

Dictionary::Sizes Dictionary::sizes() const {
  const Profile& t = tables_;
  const std::array<size_t, 8> sizes = {t.strings.size(),   t.labels.size(), t.label_sets.size(), t.mappings.size(),
                                       t.functions.size(), t.lines.size(),  t.frames.size(),     t.stacks.size()};
  Sizes result;
  for (size_t i = 0; i < sizes.size(); ++i) result[i] = static_cast<uint32_t>(sizes[i]);
  return result;
}

uint64_t Dictionary::height(const Sizes& sizes) {
  uint64_t sum = 0;
  for (const uint32_t size : sizes) sum += size;
  return sum;
}

std::string Dictionary::chunk_since(const Sizes& begin) const {
  const Profile& t = tables_;
  const Sizes end = sizes();
  ByteWriter writer;
  writer.number(kVersion);
  for (const uint32_t size : begin) writer.number(size);
  for (size_t table = 0; table < begin.size(); ++table) writer.number(end[table] - begin[table]);

  const auto string = [&](uint32_t i) { return t.strings.view(StringId{i}); };
  write_lengths(writer, string, begin[kStrings], end[kStrings]);
  for (uint32_t i = begin[kStrings]; i < end[kStrings]; ++i) writer.raw(string(i));
  write_labels(writer, t.labels.rows().subspan(begin[kLabels]));
  const auto label_set = [&](uint32_t i) { return t.label_sets[LabelSetId{i}]; };
  write_lengths(writer, label_set, begin[kLabelSets], end[kLabelSets]);
  for (uint32_t i = begin[kLabelSets]; i < end[kLabelSets]; ++i) {
    for (const LabelId label : label_set(i)) writer.number(raw(label));
  }
  write_mappings(writer, t.mappings.rows().subspan(begin[kMappings]));
  write_functions(writer, t.functions.rows().subspan(begin[kFunctions]));
  const auto line_list = [&](uint32_t i) { return t.lines[LineListId{i}]; };
  write_lengths(writer, line_list, begin[kLines], end[kLines]);
  for (uint32_t i = begin[kLines]; i < end[kLines]; ++i) {
    for (const Line& line : line_list(i)) {
      writer.signed_number(line.line);
      writer.signed_number(line.column);
      writer.number(raw(line.function));
    }
  }
  write_frames(writer, t.frames.rows().subspan(begin[kFrames]));
  const auto stack = [&](uint32_t i) { return t.stacks[StackId{i}]; };
  write_lengths(writer, stack, begin[kStacks], end[kStacks]);
  for (uint32_t i = begin[kStacks]; i < end[kStacks]; ++i) {
    for (const FrameId frame : stack(i)) writer.number(raw(frame));
  }
  return writer.bytes();
}

Result<Dictionary::Sizes> Dictionary::begin_of(std::string_view chunk) {
  ByteReader reader(chunk);
  Sizes begin{};
  if (reader.number() != kVersion) reader.stop();
  for (uint32_t& size : begin) size = static_cast<uint32_t>(reader.below(kMaxTableSize));
  if (!reader.ok()) return fail(ErrorCode::InvalidInput, "dictionary chunk is damaged");
  return begin;
}

Result<> Dictionary::load(std::string_view chunk) { return ChunkReader(chunk, tables_, sizes()).read(); }

}  // namespace atys::store
