// SPDX-License-Identifier: Apache-2.0
#include "format/speedscope/speedscope_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "format/plausible_counts.h"
#include "format/speedscope/event_tree.h"
#include "format/speedscope/json_path.h"
#include "format/speedscope/own_fields.h"
#include "format/speedscope/units.h"
#include "format/speedscope/weight_scale.h"

namespace atys::format::speedscope {

using namespace profile;

namespace {

constexpr size_t kMaxDepth = 16;  // of nested JSON
constexpr size_t kMaxValueTypes = 4096;
constexpr char kRounded[] = "speedscope: weights with a fraction, rounded";

// What is to be known of a profile of the file before its samples.
struct Context {
  const Json& json;
  const Json* own = nullptr;  // our own additions; null: another program's file
  std::string path;
  size_t column = 0;
  LabelSetId labels{};
  WeightScale scale;
};

// Where the samples of the profile before went: those of its next value type belong into the same rows.
struct Rows {
  size_t first = 0;
  size_t count = 0;
  size_t column = 0;
  LabelSetId labels{};
};

// Our own weights below 0, in the order of their samples.
class NegativeWeights {
 public:
  explicit NegativeWeights(const Json* own) : list_(own == nullptr ? nullptr : find_member(*own, kOwnNegative)) {}

  int64_t of(size_t sample) {
    if (is_done() || !is_pair((*list_)[next_]) || (*list_)[next_][0].get<int64_t>() != static_cast<int64_t>(sample))
      return 0;
    return (*list_)[next_++][1].get<int64_t>();
  }
  bool is_done() const { return list_ == nullptr || !list_->is_array() || next_ == list_->size(); }
  size_t position() const { return next_; }

 private:
  static bool is_pair(const Json& pair) {
    return pair.is_array() && pair.size() == 2 && fits_int64(pair[0]) && fits_int64(pair[1]);
  }

  const Json* list_;
  size_t next_ = 0;
};

// Whether the weights of a profile without a unit can be numbers of samples.
bool may_be_counts(const Json& profile) {
  const Json* const weights = find_member(profile, "weights");
  if (weights == nullptr || !weights->is_array()) return false;
  std::vector<int64_t> values;
  for (const Json& weight : *weights) {
    if (!fits_int64(weight)) return false;
    values.push_back(weight.get<int64_t>());
  }
  return may_count_samples(values);
}

class Reader {
 public:
  Reader(const Json& file, size_t file_bytes, bool keeps_times)
      : file_(file), file_bytes_(file_bytes), keeps_times_(keeps_times) {}

  Result<Profile> read() {
    if (!file_.is_object()) return bad("the top", "not an object");
    TRY(read_frames());
    const Json& profiles = *TRY(array_member(file_, "profiles", "the top"));
    if (profiles.empty()) return bad("profiles", "there is no profile");
    has_several_ = profiles.size() > 1;
    for (size_t i = 0; i < profiles.size(); ++i) TRY(read_profile(profiles[i], at_index("profiles", i)));
    count_samples();
    const std::string exporter = TRY(text_member(file_, "exporter", "the top"));
    if (!exporter.empty() && !exporter.starts_with("atys")) profile_.add_fact("exporter", exporter);
    return std::move(profile_);
  }

 private:
  Result<> read_frames();
  Result<FrameId> read_frame(const Json& json, const std::string& path);
  Result<> read_profile(const Json& json, const std::string& path);
  Result<size_t> column_for(const Unit& unit, const Json& json, const Json* own, const std::string& path);
  Result<LabelSetId> labels_for(const Json& json, const Json* own, const std::string& path);
  Result<> check_room(size_t new_rows, size_t columns, const std::string& path) const;
  Result<> read_sampled(Context& context);
  Result<> read_evented(Context& context);
  Result<> read_event(const Json& event, Context& context, size_t index, EventTree& tree);
  Result<> read_duration(Context& context);
  Result<StackId> read_stack(const Json& sample, const Context& context, size_t index);
  Result<FrameId> frame_at(const Json& index, const std::string& path) const;
  void add_weight(const Rows& rows, size_t sample, StackId stack, int64_t weight, int64_t time_ns);
  std::optional<int64_t> clock_of(const Context& context) const;
  void count_samples();

  const Json& file_;
  size_t file_bytes_;
  bool keeps_times_;
  Profile profile_;
  bool has_several_ = false;
  std::vector<FrameId> frames_;  // of the file's indexes
  std::map<std::tuple<int64_t, std::string, std::string>, size_t> columns_;
  Rows previous_;
  std::vector<Rows> listed_;  // what other programs list sample by sample, or have added up
  std::vector<FrameId> frame_scratch_;
  std::vector<int64_t> value_scratch_;
};

Result<> Reader::read_frames() {
  const Json* const shared = find_member(file_, "shared");
  if (shared == nullptr) return bad("the top", "there is no object 'shared'");
  const Json& list = *TRY(array_member(*shared, "frames", "shared"));
  if (list.size() >= kMaxTableSize) return bad("shared.frames", "too many frames");
  frames_.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) frames_.push_back(TRY(read_frame(list[i], at_index("shared.frames", i))));
  return {};
}

Result<FrameId> Reader::read_frame(const Json& json, const std::string& path) {
  if (!json.is_object()) return bad(path, "not an object");
  const StringId name = profile_.strings.intern(TRY(text_member(json, "name", path)));
  const StringId file = profile_.strings.intern(TRY(text_member(json, "file", path)));
  Line line;
  line.line = TRY(integer_member(json, "line", path));
  line.column = TRY(integer_member(json, "col", path));
  line.function = profile_.functions.intern({name, kNoString, file, 0});
  Frame frame;
  frame.lines = profile_.lines.intern({&line, 1});
  return profile_.frames.intern(frame);
}

Result<> Reader::read_profile(const Json& json, const std::string& path) {
  if (!json.is_object()) return bad(path, "not an object");
  const std::string unit_name = TRY(text_member(json, "unit", path));
  const Unit* const unit = find_unit(unit_name);
  if (unit == nullptr) return bad(path + ".unit", "not a unit that speedscope knows");
  const Json* const own = find_member(json, kOwn);
  // In our own files the value type tells the unit, and weights are in it.
  Context context{json, own, path, 0, {}, WeightScale(own == nullptr ? unit->scale : 1)};
  context.column = TRY(column_for(*unit, json, own, path));
  context.labels = TRY(labels_for(json, own, path));
  const std::string type = TRY(text_member(json, "type", path));
  if (type == "sampled") {
    TRY(read_sampled(context));
  } else if (type == "evented") {
    TRY(read_evented(context));
  } else {
    return bad(path + ".type", "neither 'sampled' nor 'evented'");
  }
  profile_.add_loss(kRounded, context.scale.rounded_count());
  return {};
}

Result<size_t> Reader::column_for(const Unit& unit, const Json& json, const Json* own, const std::string& path) {
  std::tuple<int64_t, std::string, std::string> key{0, unit.type, unit.unit};
  if (unit.type == "samples" && !may_be_counts(json)) key = {0, kValueOfUnknownUnit, ""};
  if (own != nullptr) {
    const std::string own_path = path + "." + kOwn;
    if (!own->is_object()) return bad(own_path, "not an object");
    key = {TRY(integer_member(*own, kOwnColumn, own_path)), TRY(text_member(*own, kOwnType, own_path)),
           TRY(text_member(*own, kOwnUnit, own_path))};
  }
  if (const auto found = columns_.find(key); found != columns_.end()) return found->second;
  if (columns_.size() >= kMaxValueTypes) return bad(path, "more than " + std::to_string(kMaxValueTypes) + " value types");
  TRY(check_room(0, columns_.size() + 1, path));
  const size_t column = profile_.add_value_type(std::get<1>(key), std::get<2>(key));
  columns_.emplace(std::move(key), column);
  return column;
}

Result<LabelSetId> Reader::labels_for(const Json& json, const Json* own, const std::string& path) {
  const std::string name = TRY(text_member(json, "name", path));
  const std::string thread = own != nullptr ? TRY(text_member(*own, kOwnThread, path)) : has_several_ ? name : std::string();
  if (thread.empty()) return kNoLabels;
  return profile_.label_set({profile_.string_label(kThreadLabel, thread)});
}

// A file that is what it says has at least a byte for each value of each row; three columns are all that others' files can
// have.
Result<> Reader::check_room(size_t new_rows, size_t columns, const std::string& path) const {
  const size_t rows = profile_.samples.size() + new_rows;
  if (rows >= kMaxTableSize) return bad(path, "too many samples");
  if (columns > 3 && rows > file_bytes_ / columns) return bad(path, "too many value types for so many samples");
  return {};
}

Result<> Reader::read_sampled(Context& context) {
  const Json& samples = *TRY(array_member(context.json, "samples", context.path));
  const Json& weights = *TRY(array_member(context.json, "weights", context.path));
  if (samples.size() != weights.size()) {
    return bad(context.path, std::to_string(samples.size()) + " samples but " + std::to_string(weights.size()) + " weights");
  }
  Rows rows{profile_.samples.size(), 0, context.column, context.labels};
  const bool is_continued = context.own != nullptr && previous_.count == samples.size() &&
                            previous_.labels == context.labels && previous_.column < context.column;
  if (is_continued) rows = {previous_.first, previous_.count, context.column, context.labels};
  TRY(check_room(is_continued ? 0 : samples.size(), columns_.size(), context.path));
  NegativeWeights negative(context.own);
  bool has_clock = clock_of(context).has_value();
  int64_t clock = clock_of(context).value_or(0);
  for (size_t i = 0; i < samples.size(); ++i) {
    const StackId stack = TRY(read_stack(samples[i], context, i));
    const auto weight = context.scale.weight(weights[i]);
    if (!weight) return bad(at_index(context.path + ".weights", i), "not a number that fits into 64 bits");
    const int64_t below_zero = negative.of(i);
    add_weight(rows, i, stack, below_zero != 0 ? below_zero : *weight, has_clock ? never_zero(clock) : 0);
    if (has_clock && __builtin_add_overflow(clock, *weight, &clock)) has_clock = false;
  }
  if (!negative.is_done())
    return bad(at_index(context.path + ".atys.negative", negative.position()), "not [sample, weight] in order");
  previous_ = {rows.first, samples.size(), context.column, context.labels};
  if (context.own == nullptr) listed_.push_back(previous_);
  return {};
}

// Other programs' files do not say how many samples there were. Who lists a stack more than once lists each sample, in the
// order of time: then each is one. A list of different stacks may as well have been added up.
void Reader::count_samples() {
  bool is_each_listed = false;
  for (const Rows& rows : listed_) {
    std::set<StackId> seen;
    for (size_t row = rows.first; row < rows.first + rows.count; ++row)
      is_each_listed = !seen.insert(profile_.samples.stack(row)).second || is_each_listed;
  }
  const bool is_counted = std::ranges::any_of(profile_.value_types(),
                                              [&](const ValueType& type) { return profile_.text(type.type) == "samples"; });
  if (!is_each_listed || is_counted) return;
  profile_.header.default_value_type = profile_.value_types().front().type;
  const size_t column = profile_.add_value_type("samples", "count");
  for (const Rows& rows : listed_)
    for (size_t row = rows.first; row < rows.first + rows.count; ++row) profile_.samples.add_value(row, column, 1);
}

// When the first sample begins. None: these values are no time, or times are not wanted.
std::optional<int64_t> Reader::clock_of(const Context& context) const {
  if (!keeps_times_ || context.own != nullptr) return std::nullopt;
  if (profile_.text(profile_.value_types()[context.column].unit) != "nanoseconds") return std::nullopt;
  const Json* const start = find_member(context.json, "startValue");
  WeightScale scale = context.scale;
  const auto at = start == nullptr ? std::optional<int64_t>(0) : scale.position(*start);
  return at.value_or(0);
}

// Into the row of the value type before, if it is there and for the same stack.
void Reader::add_weight(const Rows& rows, size_t sample, StackId stack, int64_t weight, int64_t time_ns) {
  const size_t row = rows.first + sample;
  if (sample < rows.count && profile_.samples.stack(row) == stack) {
    profile_.samples.add_value(row, rows.column, weight);
    return;
  }
  value_scratch_.assign(profile_.value_types().size(), 0);
  value_scratch_[rows.column] = weight;
  profile_.samples.add(stack, rows.labels, value_scratch_, time_ns);
}

Result<StackId> Reader::read_stack(const Json& sample, const Context& context, size_t index) {
  const auto path = [&] { return at_index(context.path + ".samples", index); };
  if (!sample.is_array()) return bad(path(), "not an array");
  frame_scratch_.clear();
  for (const Json& frame : sample) {
    auto id = frame_at(frame, {});
    if (!id.ok()) return frame_at(frame, at_index(path(), frame_scratch_.size())).error();
    frame_scratch_.push_back(*id);
  }
  std::ranges::reverse(frame_scratch_);
  return profile_.stacks.intern(frame_scratch_);
}

Result<FrameId> Reader::frame_at(const Json& index, const std::string& path) const {
  if (!index.is_number_unsigned()) return bad(path, "not the index of a frame");
  const auto position = index.get<uint64_t>();
  if (position < frames_.size()) return frames_[position];
  return bad(path, "frame " + std::to_string(position) + " does not exist; there are " + std::to_string(frames_.size()));
}

Result<> Reader::read_evented(Context& context) {
  const Json& events = *TRY(array_member(context.json, "events", context.path));
  TRY(check_room(events.size(), columns_.size(), context.path));
  EventTree tree(clock_of(context).has_value());
  for (size_t i = 0; i < events.size(); ++i) TRY(read_event(events[i], context, i, tree));
  if (!tree.is_balanced()) return bad(context.path + ".events", "a frame is still open after the last event");
  const auto added = tree.add_samples(profile_, context.labels, context.column);
  if (!added.ok()) return in_context("cannot read speedscope data at " + context.path, added.error());
  previous_ = {};
  return read_duration(context);
}

Result<> Reader::read_event(const Json& event, Context& context, size_t index, EventTree& tree) {
  // Built for errors only: there are millions of events.
  const auto path = [&](const char* member) { return at_index(context.path + ".events", index) + member; };
  const Json* const type = find_member(event, "type");
  const Json* const at = find_member(event, "at");
  const Json* const frame_index = find_member(event, "frame");
  const std::string* const kind = type == nullptr ? nullptr : type->get_ptr<const std::string*>();
  if (kind == nullptr || at == nullptr || frame_index == nullptr) return bad(path(""), "'type', 'frame' or 'at' is missing");
  const auto position = context.scale.position(*at);
  if (!position) return bad(path(".at"), "not a number that fits into 64 bits");
  if (const auto done = tree.advance(*position); !done.ok()) return bad(path(".at"), done.error().message);
  const auto frame = frame_at(*frame_index, {});
  if (!frame.ok()) return frame_at(*frame_index, path(".frame")).error();
  if (*kind == "O") {
    tree.open(*frame);
    return {};
  }
  if (*kind != "C") return bad(path(".type"), "neither 'O' nor 'C'");
  const auto done = tree.close(*frame);
  return done.ok() ? Result<>() : bad(path(""), done.error().message);
}

// Events lie on a clock, so the file knows how long it recorded; samples may be anything added up.
Result<> Reader::read_duration(Context& context) {
  const Json* const start = find_member(context.json, "startValue");
  const Json* const end = find_member(context.json, "endValue");
  if (start == nullptr || end == nullptr || profile_.text(profile_.value_types()[context.column].unit) != "nanoseconds")
    return {};
  const auto from = context.scale.position(*start);
  const auto to = context.scale.position(*end);
  int64_t duration = 0;
  if (!from || !to || __builtin_sub_overflow(*to, *from, &duration))
    return bad(context.path, "startValue or endValue is no time");
  profile_.header.duration_ns = std::max(profile_.header.duration_ns, duration);
  return {};
}

}  // namespace

Result<Profile> read_speedscope(std::string_view text, bool keeps_times) {
  const Json file = TRY(parse_json(text, kMaxDepth));
  return Reader(file, text.size(), keeps_times).read();
}

}  // namespace atys::format::speedscope
