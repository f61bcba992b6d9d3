// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "format/perf_script/sample_folder.h"
#include "profile/import.h"

namespace atys::format::perf_script {

using namespace profile;

namespace {

// perf counts these two in nanoseconds, everything else in occurrences.
std::string_view unit_of(std::string_view event) {
  return event.starts_with("cpu-clock") || event.starts_with("task-clock") ? "nanoseconds" : "count";
}

}  // namespace

void SampleFolder::merge(const SampleFolder& other) {
  Importer importer(other.tables_, tables_);
  std::vector<Context> contexts;
  for (Context context : other.contexts_) {
    const Event& event = other.events_[context.event];
    context.event = event_position(other.tables_.text(event.name), event.has_period);
    contexts.push_back(context);
  }
  are_samples_apart_ = are_samples_apart_ || other.are_samples_apart_;
  for (Row row : other.rows_) {
    row.stack = importer.stack(row.stack);
    add_row(contexts[row.context], row);
  }
  if (other.unfinished_) {
    unfinished_ = other.unfinished_;
    unfinished_->stack = importer.stack(unfinished_->stack);
    const Event& event = other.events_[unfinished_->context.event];
    unfinished_->context.event = event_position(other.tables_.text(event.name), event.has_period);
  }
  for (const Fact& fact : other.tables_.provenance)
    tables_.add_fact(other.tables_.text(fact.key), other.tables_.text(fact.value));
  unreadable_lines_ += other.unreadable_lines_;
  if (other.first_unreadable_ && (!first_unreadable_ || *other.first_unreadable_ < *first_unreadable_)) {
    first_unreadable_ = other.first_unreadable_;
  }
  if (other.first_time_ns_) {
    note_time(*other.first_time_ns_);
    note_time(other.last_time_ns_);
  }
}

// Adds samples/count and, where events weigh differently or there are several, a column for each. The columns by event; 0:
// none.
std::vector<size_t> SampleFolder::add_value_types() {
  tables_.add_value_type("samples", "count");
  std::vector<size_t> columns(events_.size());
  for (size_t i = 0; i < events_.size(); ++i) {
    const std::string name(events_[i].name == kNoString ? "event" : tables_.text(events_[i].name));
    if (!events_[i].has_period && events_.size() == 1) continue;
    columns[i] = tables_.add_value_type(name, events_[i].has_period ? unit_of(name) : "count");
    if (tables_.header.default_value_type == kNoString) tables_.header.default_value_type = tables_.strings.intern(name);
  }
  return columns;
}

std::vector<LabelSetId> SampleFolder::make_labels() {
  std::vector<LabelSetId> sets;
  for (const Context& context : contexts_) {
    std::vector<LabelId> labels;
    if (context.pid >= 0) labels.push_back(tables_.int_label("process.pid", context.pid));
    if (context.tid >= 0) labels.push_back(tables_.int_label("thread.id", context.tid));
    const std::string event(tables_.text(events_[context.event].name));
    if (events_.size() > 1 && !event.empty()) labels.push_back(tables_.string_label("event", event));
    sets.push_back(tables_.label_set(std::move(labels)));
  }
  return sets;
}

Profile SampleFolder::finish() {
  if (unfinished_ && (rows_.empty() || !are_samples_apart_)) {
    // Better than nothing.
    add_row(unfinished_->context,
            {.stack = unfinished_->stack, .count = 1, .weight = unfinished_->period, .time_ns = unfinished_->time_ns});
  } else if (unfinished_) {
    tables_.add_loss("truncated-sample", 1);
  }
  tables_.add_loss("unreadable-line", unreadable_lines_);
  if (first_time_ns_) tables_.header.duration_ns = last_time_ns_ - *first_time_ns_;
  const std::vector<size_t> columns = add_value_types();
  const std::vector<LabelSetId> labels = make_labels();
  tables_.samples.reserve(rows_.size());
  std::vector<int64_t> values(tables_.value_types().size());
  for (const Row& row : rows_) {
    const uint32_t event = contexts_[row.context].event;
    values[0] = row.count;
    if (columns[event] != 0) values[columns[event]] = events_[event].has_period ? row.weight : row.count;
    tables_.samples.add(row.stack, labels[row.context], values, row.time_ns);
    if (columns[event] != 0) values[columns[event]] = 0;
  }
  return std::exchange(tables_, {});
}

}  // namespace atys::format::perf_script
