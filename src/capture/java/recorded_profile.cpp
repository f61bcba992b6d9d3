// SPDX-License-Identifier: Apache-2.0
#include "capture/java/recorded_profile.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "base/byte_source.h"
#include "format/format.h"
#include "linux/namespaces.h"
#include "profile/import.h"

namespace atys::capture::java {

namespace {

using Columns = profile::KindRow::Columns;

Profile empty_profile(const Columns& columns) {
  Profile profile;
  profile.add_value_type(columns.count, "count");
  profile.add_value_type(columns.weight, columns.unit);
  return profile;
}

std::optional<size_t> column_of(const Profile& profile, std::string_view type) {
  for (size_t i = 0; i < profile.value_types().size(); ++i)
    if (profile.text(profile.value_types()[i].type) == type) return i;
  return {};
}

// A chunk after the first does not repeat the interval, and one without samples has no columns: `interval_ns` fills in.
Profile with_columns(const Profile& from, const Columns& columns, uint64_t interval_ns) {
  Profile into = empty_profile(columns);
  if (from.value_types().empty()) return into;
  const auto weight = column_of(from, columns.weight);
  const size_t count = column_of(from, columns.count).value_or(0);
  profile::Importer importer(from, into);
  for (size_t row = 0; row < from.samples.size(); ++row) {
    const int64_t samples = from.samples.value(row, count);
    const std::array values = {samples,
                               weight ? from.samples.value(row, *weight) : samples * static_cast<int64_t>(interval_ns)};
    if (values[0] != 0 || values[1] != 0)
      into.samples.add(importer.stack(from.samples.stack(row)), importer.labels(from.samples.labels(row)), values);
  }
  for (const profile::Loss& loss : from.losses) into.add_loss(from.text(loss.reason), loss.count);
  return into;
}

}  // namespace

Result<Profile> read_recorded(Bytes bytes, const Kind& kind, uint64_t interval_ns) {
  const Columns& columns = kind.row->columns;
  if (bytes.empty()) return empty_profile(columns);
  const format::Format* jfr = format::find_format("jfr");
  if (jfr == nullptr) return fail(ErrorCode::Internal, "there is no reader of JFR files");
  const auto source = own_source("recording.jfr", std::move(bytes));
  return with_columns(TRY(jfr->read(*source)), columns, interval_ns);
}

void number_threads_as_we_do(Profile& profile, pid_t pid) {
  std::map<int64_t, int64_t> outside;
  if (const auto threads = linux::read_thread_ids(pid); threads.ok())
    for (const linux::ThreadIds& ids : *threads) outside[ids.inside] = ids.outside;
  std::map<profile::LabelSetId, profile::LabelSetId> renumbered;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const profile::LabelSetId before = profile.samples.labels(row);
    auto found = renumbered.find(before);
    if (found == renumbered.end()) {
      std::vector<profile::LabelId> members;
      for (const profile::LabelId id : profile.label_sets[before]) {
        const profile::Label label = profile.labels[id];
        if (profile.text(label.key) != "thread.id") {
          members.push_back(id);
        } else if (const auto seen = outside.find(label.number); seen != outside.end()) {
          members.push_back(profile.int_label("thread.id", seen->second));
        }
      }
      found = renumbered.emplace(before, profile.label_set(std::move(members))).first;
    }
    profile.samples.set_labels(row, found->second);
  }
}

}  // namespace atys::capture::java
