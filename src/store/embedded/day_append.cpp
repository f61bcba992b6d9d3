// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/day_append.h"

#include <algorithm>
#include <map>

#include "store/byte_codec.h"
#include "store/embedded/calendar.h"
#include "store/embedded/series_labels.h"
#include "store/embedded/window_block.h"

namespace atys::store {

namespace {

std::string_view bytes_of(const Id& id) { return {reinterpret_cast<const char*>(id.data()), id.size()}; }

class DayAppender {
 public:
  DayAppender(DayFile& file, const KnownElsewhere& elsewhere) : file_(file), elsewhere_(elsewhere) {}

  Result<Appended> append(std::span<const Window* const> windows) {
    Transaction transaction = TRY(Transaction::begin(file_.database(), /*write=*/true));
    Appended result;
    const int64_t kept_from_ns = TRY(file_.kept_from())[static_cast<size_t>(Level::Windows)];
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window* window = windows[i];
      // Its id would be forgotten already if it had been here: then it would count twice.
      if (window->start_ns < kept_from_ns) {
        result.refused.push_back({i, fail(ErrorCode::InvalidInput, "window refused: older than the windows that are kept")});
        continue;
      }
      const bool is_new = TRY(claim(*window));
      ++(is_new ? result.added : result.duplicates);
      if (is_new) TRY(store(*window));
    }
    if (result.added == 0 && !marks_changed_) return result;
    TRY(file_.save_dictionaries());
    for (const auto& [sender, received] : senders_) {
      Statement save = TRY(file_.database().prepare("INSERT OR REPLACE INTO sender(id, received) VALUES(?, ?)"));
      const std::string encoded = received.encode();
      TRY(save.bind(1, bytes_of(sender)).bind(2, encoded).run());
    }
    TRY(transaction.commit());
    return result;
  }

 private:
  // Notes id and mark; whether both were new.
  Result<bool> claim(const Window& window) {
    if (window.mark.sequence != 0) {
      SequenceSet& received = *TRY(received_of(window.mark.sender));
      if (received.contains(window.mark.sequence)) return false;
      received.add(window.mark.sequence, window.mark.sequence);
      marks_changed_ = true;
    }
    if (window.is_undated && TRY(elsewhere_.has_undated(window.id))) return false;
    Statement note = TRY(file_.database().prepare("INSERT OR IGNORE INTO seen(minute, id) VALUES(?, ?)"));
    TRY(note.bind(1, window.is_undated ? kUndatedMinute : window.start_ns / kMinuteNs).bind(2, bytes_of(window.id)).run());
    return file_.database().changes() != 0;
  }

  Result<SequenceSet*> received_of(const Id& sender) {
    const auto known = senders_.find(sender);
    if (known != senders_.end()) return &known->second;
    SequenceSet received = TRY(received_from(file_, sender));
    if (received.contiguous() == 0) received.add(1, TRY(elsewhere_.marks(sender)));
    return &senders_.emplace(sender, std::move(received)).first->second;
  }

  Result<> store(const Window& window) {
    const int64_t dictionary_id = TRY(file_.dictionary_to_add_to(window.service));
    Dictionary* dictionary = TRY(file_.dictionary(dictionary_id));
    const int64_t group = TRY(group_of(window));
    const int64_t series = TRY(series_of(window, group));
    const Block block = block_of(window, static_cast<uint32_t>(series), *dictionary);
    return file_.insert({Stage::Raw, group, window.start_ns, dictionary_id, series, 1}, block);
  }

  Result<int64_t> group_of(const Window& window) {
    Statement find = TRY(file_.database().prepare("SELECT id FROM grp WHERE service=? AND kind=? AND version=?"));
    find.bind(1, window.service).bind(2, window.kind).bind(3, window.version);
    if (TRY(find.step())) return find.number(0);
    Statement insert = TRY(file_.database().prepare("INSERT INTO grp(service, kind, version) VALUES(?, ?, ?)"));
    TRY(insert.bind(1, window.service).bind(2, window.kind).bind(3, window.version).run());
    return file_.database().last_row();
  }

  // How often and when it was seen is written when windows are put together, not with every window.
  Result<int64_t> series_of(const Window& window, int64_t group) {
    const std::string labels = encode_labels(window.labels, window.stretch);
    Statement find =
        TRY(file_.database().prepare("SELECT id FROM series WHERE grp=? AND node=? AND instance=? AND labels=?"));
    find.bind(1, group).bind(2, window.node).bind(3, window.instance).bind(4, labels);
    if (TRY(find.step())) return find.number(0);
    Statement insert = TRY(file_.database().prepare(
        "INSERT INTO series(grp, node, instance, labels, first_ns, last_ns, windows) VALUES(?, ?, ?, ?, 0, 0, 0)"));
    TRY(insert.bind(1, group).bind(2, window.node).bind(3, window.instance).bind(4, labels).run());
    return file_.database().last_row();
  }

  DayFile& file_;
  const KnownElsewhere& elsewhere_;
  std::map<Id, SequenceSet> senders_;
  bool marks_changed_ = false;
};

}  // namespace

Result<Appended> append_to_day(DayFile& file, std::span<const Window* const> windows, const KnownElsewhere& elsewhere) {
  auto result = DayAppender(file, elsewhere).append(windows);
  if (!result.ok()) file.forget();
  return result;
}

Result<bool> has_undated(DayFile& file, const Id& id) {
  Statement find = TRY(file.database().prepare("SELECT 1 FROM seen WHERE minute=? AND id=?"));
  return find.bind(1, kUndatedMinute).bind(2, bytes_of(id)).step();
}

Result<SequenceSet> received_from(DayFile& file, const Id& sender) {
  Statement find = TRY(file.database().prepare("SELECT received FROM sender WHERE id=?"));
  find.bind(1, bytes_of(sender));
  return TRY(find.step()) ? SequenceSet::decode(find.bytes(0)) : SequenceSet();
}

}  // namespace atys::store
