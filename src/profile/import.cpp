// SPDX-License-Identifier: Apache-2.0
#include "profile/import.h"

namespace atys::profile {

namespace {

// Looks `id` up in `known`, or makes it with `translate` and remembers it.
template <typename Id, typename Translate>
Id remember(std::vector<uint32_t>& known, Id id, const Translate& translate) {
  if (known[raw(id)] == 0) {
    const Id made = translate();
    known[raw(id)] = raw(made) + 1;
  }
  return Id{known[raw(id)] - 1};
}

}  // namespace

Importer::Importer(const Profile& from, Profile& into, bool relative)
    : from_(&from),
      into_(&into),
      relative_(relative),
      strings_(from.strings.size()),
      mappings_(from.mappings.size()),
      functions_(from.functions.size()),
      line_lists_(from.lines.size()),
      frames_(from.frames.size()),
      stacks_(from.stacks.size()),
      labels_(from.labels.size()),
      label_sets_(from.label_sets.size()) {
  mappings_[0] = functions_[0] = frames_[0] = stacks_[0] = labels_[0] = label_sets_[0] = 1;
}

StringId Importer::string(StringId id) {
  return remember(strings_, id, [&] { return into_->strings.intern(from_->text(id)); });
}

MappingId Importer::mapping(MappingId id) {
  return remember(mappings_, id, [&] {
    Mapping row = from_->mappings[id];
    row.filename = string(row.filename);
    row.build_id = string(row.build_id);
    row.attributes = labels(row.attributes);
    if (relative_) {
      row.limit -= row.start;
      row.start = 0;
      row.has_functions = row.has_filenames = row.has_line_numbers = row.has_inline_frames = false;
    }
    return into_->mappings.intern(row);
  });
}

FunctionId Importer::function(FunctionId id) {
  return remember(functions_, id, [&] {
    const Function& row = from_->functions[id];
    return into_->functions.intern({string(row.name), string(row.system_name), string(row.filename), row.start_line});
  });
}

void Importer::rename(FunctionId id, std::string_view name) {
  const Function& row = from_->functions[id];
  const FunctionId made =
      into_->functions.intern({into_->strings.intern(name), string(row.system_name), string(row.filename), row.start_line});
  functions_[raw(id)] = raw(made) + 1;
}

void Importer::replace(FunctionId id, std::string_view name, std::string_view filename, int64_t start_line) {
  const Function& row = from_->functions[id];
  const FunctionId made = into_->functions.intern(
      {into_->strings.intern(name), string(row.system_name), into_->strings.intern(filename), start_line});
  functions_[raw(id)] = raw(made) + 1;
  if (row.start_line == start_line || row.start_line <= 0 || start_line <= 0) return;
  moved_by_.resize(from_->functions.size());
  moved_by_[raw(id)] = start_line - row.start_line;
}

void Importer::rename(MappingId id, std::string_view filename) {
  Mapping row = from_->mappings[id];
  row.filename = into_->strings.intern(filename);
  row.build_id = string(row.build_id);
  row.attributes = labels(row.attributes);
  mappings_[raw(id)] = raw(into_->mappings.intern(row)) + 1;
}

void Importer::name_unresolved(MappingId id, std::string_view name) {
  names_of_unresolved_.resize(from_->mappings.size());
  names_of_unresolved_[raw(id)] = into_->strings.intern(name);
}

LineListId Importer::line_list(LineListId id) {
  return remember(line_lists_, id, [&] {
    line_scratch_.clear();
    for (const Line& line : from_->lines[id]) {
      // A file can say any line; one that would move out of the numbers stays.
      int64_t moved = 0;
      const bool fits = line.line > 0 && !__builtin_add_overflow(line.line, moved_by(line.function), &moved) && moved > 0;
      line_scratch_.push_back({fits ? moved : line.line, line.column, function(line.function)});
    }
    return into_->lines.intern(line_scratch_);
  });
}

FrameId Importer::frame(FrameId id) {
  return remember(frames_, id, [&] {
    Frame row = from_->frames[id];
    if (relative_) row.address -= from_->mappings[row.mapping].start;
    const bool gets_name = !names_of_unresolved_.empty() && names_of_unresolved_[raw(row.mapping)] != kNoString &&
                           from_->lines[row.lines].empty();
    if (gets_name) {
      const Line only{0, 0, into_->functions.intern({names_of_unresolved_[raw(row.mapping)], kNoString, kNoString, 0})};
      row.lines = into_->lines.intern({&only, 1});
    } else {
      row.lines = line_list(row.lines);
    }
    row.mapping = mapping(row.mapping);
    row.kind = string(row.kind);
    row.attributes = labels(row.attributes);
    return into_->frames.intern(row);
  });
}

StackId Importer::stack(StackId id) {
  return remember(stacks_, id, [&] {
    stack_scratch_.clear();
    for (const FrameId member : from_->stacks[id]) stack_scratch_.push_back(frame(member));
    return into_->stacks.intern(stack_scratch_);
  });
}

LabelId Importer::label(LabelId id) {
  return remember(labels_, id, [&] {
    Label row = from_->labels[id];
    row.key = string(row.key);
    row.text = string(row.text);
    row.unit = string(row.unit);
    return into_->labels.intern(row);
  });
}

LabelSetId Importer::labels(LabelSetId id) {
  return remember(label_sets_, id, [&] {
    std::vector<LabelId> members;
    for (const LabelId member : from_->label_sets[id]) members.push_back(label(member));
    return into_->label_sets.intern(members);  // sorted in the source, and sorting is by content
  });
}

void Importer::copy_header() {
  for (const ValueType& type : from_->value_types()) into_->add_value_type(from_->text(type.type), from_->text(type.unit));
  const Header& from = from_->header;
  Header& to = into_->header;
  to = from;
  to.period_type = value_type(from.period_type);
  to.default_value_type = string(from.default_value_type);
  to.drop_frames = string(from.drop_frames);
  to.keep_frames = string(from.keep_frames);
  to.doc_url = string(from.doc_url);
  to.id = string(from.id);
  to.attributes = labels(from.attributes);
  for (StringId& comment : to.comments) comment = string(comment);
  for (const Loss& loss : from_->losses) into_->add_loss(from_->text(loss.reason), loss.count);
  for (const Fact& fact : from_->provenance) into_->add_fact(from_->text(fact.key), from_->text(fact.value));
  into_->overhead = from_->overhead;
}

void Importer::copy_samples() {
  const SampleTable& samples = from_->samples;
  std::vector<int64_t> values(from_->value_types().size());
  for (size_t row = 0; row < samples.size(); ++row) {
    for (size_t type = 0; type < values.size(); ++type) values[type] = samples.value(row, type);
    into_->samples.add(stack(samples.stack(row)), labels(samples.labels(row)), values, samples.time_ns(row));
  }
}

}  // namespace atys::profile
