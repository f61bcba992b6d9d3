// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/gzip.h"
#include "fleet/spool_names.h"

namespace atys::fleet {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUnfinished = ".part";
constexpr int kLevel = 1;  // most files are read back at once; 6 takes two to three times as long for 10 % less

}  // namespace

const char* to_string(DropReason reason) {
  switch (reason) {
    case DropReason::NoRoom: return "no_room";
    case DropReason::Refused: return "refused";
    case DropReason::TooLarge: return "too_large";
    case DropReason::TooOld: return "too_old";
    case DropReason::Unreadable: return "unreadable";
    case DropReason::Unwritable: return "unwritable";
  }
  return "?";
}

struct Spool::Books {
  struct File {
    uint64_t bytes = 0;
    std::optional<ClockStamp> stamp;
  };
  std::map<uint64_t, File> files;  // by number
  uint64_t next = 1;
  State state;

  void count(DropReason why) {
    ++state.dropped;
    ++state.dropped_by[static_cast<size_t>(why)];
  }
};

Spool::Spool(std::string folder, uint64_t most_bytes, FileCalls& calls)
    : folder_(std::move(folder)), most_bytes_(most_bytes), calls_(&calls), books_(std::make_unique<Guarded<Books>>()) {}
Spool::Spool(Spool&&) noexcept = default;
Spool::~Spool() = default;

std::string Spool::path_of(uint64_t number, const std::optional<ClockStamp>& stamp) const {
  return (fs::path(folder_) / to_string(SpoolName{number, stamp})).string();
}

Result<Spool> Spool::open(std::string folder, uint64_t most_bytes, FileCalls& calls) {
  if (Result<> made = make_private_folder(folder); !made.ok()) {
    Error error = made.error();
    error.hint = "say another folder with --data";
    return error;
  }
  TRY(sync_folder_of(folder, calls));
  Spool spool(std::move(folder), most_bytes, calls);
  const auto books = spool.books_->lock();
  spool.load(*books);
  spool.make_room(*books, 0);
  return spool;
}

void Spool::load(Books& books) {
  std::error_code error;
  std::vector<fs::path> of_no_use;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string text = entry.path().filename().string();
    std::error_code ignored;
    if (text.ends_with(kUnfinished)) of_no_use.push_back(entry.path());
    const std::optional<SpoolName> name = parse_spool_name(text);
    if (!name || name->number == 0 || !entry.is_regular_file(ignored)) continue;
    const Books::File file{entry.file_size(ignored), name->stamp};
    books.next = std::max(books.next, name->number + 1);
    const auto [known, is_new] = books.files.try_emplace(name->number, file);
    if (is_new) continue;
    // Both are there where we ended between settling its times and removing what it was before.
    of_no_use.emplace_back(path_of(name->number, name->stamp ? name->stamp : known->second.stamp));
    if (!name->stamp) known->second = file;
  }
  for (const auto& [number, file] : books.files) books.state.bytes += file.bytes;
  for (const fs::path& each : of_no_use) fs::remove(each, error);
}

void Spool::make_room(Books& books, uint64_t bytes) {
  while (!books.files.empty() && books.state.bytes + bytes > most_bytes_) {
    const auto oldest = books.files.begin();
    std::error_code ignored;
    fs::remove(path_of(oldest->first, oldest->second.stamp), ignored);
    books.state.bytes -= oldest->second.bytes;
    books.count(DropReason::NoRoom);
    books.files.erase(oldest);
  }
}

Spool::Pending::Pending(Pending&& other) noexcept
    : spool_(std::exchange(other.spool_, nullptr)),
      number_(other.number_),
      bytes_(other.bytes_),
      stamp_(std::move(other.stamp_)) {}

Spool::Pending::~Pending() {
  if (spool_ != nullptr) (void)spool_->calls_->unlink(spool_->path_of(number_, stamp_) + std::string(kUnfinished));
}

Result<Spool::Pending> Spool::prepare(const std::string& window, const std::optional<ClockStamp>& stamp) {
  const std::string packed = gzip(window, kLevel);
  if (packed.size() > most_bytes_)
    return fail(ErrorCode::InvalidInput, "a window that is larger than the whole spool", "allow it more: --max-spool");
  Pending pending;
  {
    const auto books = books_->lock();
    make_room(*books, packed.size());
    pending.number_ = books->next++;
  }
  pending.stamp_ = stamp;
  pending.bytes_ = packed.size();
  TRY(write_synced(path_of(pending.number_, stamp) + std::string(kUnfinished), packed, *calls_));
  pending.spool_ = this;
  return pending;
}

Result<> Spool::commit(Pending pending) {
  const std::string path = path_of(pending.number_, pending.stamp_);
  TRY(rename_synced(path + std::string(kUnfinished), path, *calls_));
  pending.spool_ = nullptr;
  const auto books = books_->lock();
  books->files[pending.number_] = {pending.bytes_, pending.stamp_};
  books->state.bytes += pending.bytes_;
  return {};
}

Result<> Spool::put(const std::string& window, const std::optional<ClockStamp>& stamp) {
  Result<Pending> pending = prepare(window, stamp);
  Result<> done = pending.ok() ? commit(pending.take()) : Result<>(pending.error());
  if (!done.ok()) count_dropped(done.error().code == ErrorCode::InvalidInput ? DropReason::NoRoom : DropReason::Unwritable);
  return done;
}

void Spool::count_dropped(DropReason why) { books_->lock()->count(why); }

Result<std::optional<Spool::Entry>> Spool::read(uint64_t number, const std::optional<ClockStamp>& stamp) {
  const auto source = open_source(path_of(number, stamp));
  // It was made room of meanwhile, or somebody took it away: nothing that could be sent.
  if (!source.ok() && source.error().code == ErrorCode::NotFound) return std::optional<Entry>();
  if (!source.ok()) return in_context("the spool", source.error());
  const auto packed = (*source)->read_all();
  if (!packed.ok()) return in_context("the spool", packed.error());
  const Result<Bytes> bytes = gunzip(*packed);
  if (!bytes.ok()) return std::optional<Entry>();
  return std::optional(Entry{number, std::string(as_text(*bytes)), stamp});
}

Result<std::optional<Spool::Entry>> Spool::after(uint64_t number) {
  while (true) {
    std::optional<ClockStamp> stamp;
    {
      const auto books = books_->lock();
      const auto found = books->files.upper_bound(number);
      if (found == books->files.end()) return std::optional<Entry>();
      number = found->first;
      stamp = found->second.stamp;
    }
    // Without the lock: a disk may be slow, and whoever records must not wait for it.
    if (std::optional<Entry> entry = TRY(read(number, stamp))) return entry;
    remove(number, DropReason::Unreadable);
  }
}

Result<std::optional<Spool::Entry>> Spool::newest() {
  uint64_t before = 0;
  {
    const auto books = books_->lock();
    if (books->files.empty()) return std::optional<Entry>();
    before = books->files.rbegin()->first - 1;
  }
  return after(before);
}

Result<> Spool::settle(uint64_t number, const std::string* window) {
  std::optional<ClockStamp> stamp;
  {
    const auto books = books_->lock();
    const auto found = books->files.find(number);
    if (found == books->files.end() || !found->second.stamp) return {};
    stamp = found->second.stamp;
  }
  const std::string before = path_of(number, stamp), path = path_of(number, std::nullopt);
  const std::string packed = window == nullptr ? std::string() : gzip(*window, kLevel);
  if (window != nullptr) TRY(write_synced(path + std::string(kUnfinished), packed, *calls_));
  TRY(rename_synced(window == nullptr ? before : path + std::string(kUnfinished), path, *calls_));
  if (window != nullptr) (void)calls_->unlink(before);
  const auto books = books_->lock();
  const auto found = books->files.find(number);
  if (found == books->files.end()) {  // there was no room for it meanwhile
    (void)calls_->unlink(path);
    return {};
  }
  found->second.stamp.reset();
  if (window != nullptr) {
    books->state.bytes += packed.size() - found->second.bytes;
    found->second.bytes = packed.size();
  }
  return {};
}

void Spool::remove(uint64_t number, std::optional<DropReason> why) {
  const auto books = books_->lock();
  const auto found = books->files.find(number);
  if (found == books->files.end()) return;  // there was no room for it meanwhile
  std::error_code ignored;
  fs::remove(path_of(number, found->second.stamp), ignored);
  books->state.bytes -= found->second.bytes;
  books->files.erase(found);
  if (why)
    books->count(*why);
  else
    ++books->state.sent;
}

Spool::State Spool::state() const {
  const auto books = books_->lock();
  State state = books->state;
  state.windows = books->files.size();
  return state;
}

}  // namespace atys::fleet
