// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/day_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/replace_file.h"
#include "base/unique_fd.h"

namespace atys::store {

namespace {

constexpr int64_t kApplication = 0x41747973;  // "Atys"
constexpr int64_t kSchemaVersion = 2;
constexpr int64_t kUncheckedVersion = 1;  // the same, without checksums

// Before the first table: it cannot be changed later. Dropped windows give their space back a few pages at a time.
constexpr const char* kPrepare = "PRAGMA auto_vacuum=INCREMENTAL;";
constexpr const char* kSchema = R"(
BEGIN IMMEDIATE;
CREATE TABLE grp(id INTEGER PRIMARY KEY, service BLOB NOT NULL, kind BLOB NOT NULL, version BLOB NOT NULL,
                 UNIQUE(service, kind, version));
CREATE TABLE series(id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, node BLOB NOT NULL, instance BLOB NOT NULL, labels BLOB NOT NULL,
                    first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, windows INTEGER NOT NULL,
                    UNIQUE(grp, node, instance, labels));
CREATE TABLE dictionary(id INTEGER PRIMARY KEY, service BLOB NOT NULL);
CREATE INDEX dictionary_of ON dictionary(service, id);
CREATE TABLE chunk(dictionary INTEGER NOT NULL, height INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE(dictionary, height));
CREATE TABLE block(id INTEGER PRIMARY KEY, stage INTEGER NOT NULL, folded INTEGER NOT NULL, grp INTEGER NOT NULL,
                   start INTEGER NOT NULL, dictionary INTEGER NOT NULL, series INTEGER NOT NULL, windows INTEGER NOT NULL,
                   data BLOB NOT NULL);
CREATE INDEX block_at ON block(stage, folded, grp, start);
CREATE TABLE seen(minute INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY(minute, id)) WITHOUT ROWID;
CREATE TABLE sender(id BLOB PRIMARY KEY, received BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE dropped(level INTEGER PRIMARY KEY, before_ns INTEGER NOT NULL);
PRAGMA application_id=0x41747973;
PRAGMA user_version=2;
COMMIT;
PRAGMA journal_mode=WAL;)";

constexpr const char* kSuffixes[] = {"", "-journal", "-wal", "-shm"};

}  // namespace

Result<std::unique_ptr<DayFile>> DayFile::open(const std::string& path, int64_t day_ns, Database::Mode mode) {
  auto file = std::unique_ptr<DayFile>(new DayFile(TRY(Database::open(path, mode)), path, day_ns));
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return fail_errno("looking at " + path);
  file->device_ = status.st_dev;
  file->inode_ = status.st_ino;
  return file;
}

bool DayFile::is_current() const {
  struct stat status {};
  return ::stat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

Result<> DayFile::check_schema() {
  const int64_t version = TRY(database_->number("PRAGMA user_version"));
  if (TRY(database_->number("PRAGMA application_id")) != kApplication) {
    return fail(ErrorCode::InvalidInput, "not a file of a profile store");
  }
  is_checked_ = version != kUncheckedVersion;
  if (version == kSchemaVersion || version == kUncheckedVersion) return {};
  return fail(
      ErrorCode::Unsupported,
      "profile store of version " + std::to_string(version) + "; this program knows " + std::to_string(kSchemaVersion),
      "read it with the version of atys that wrote it");
}

Result<std::unique_ptr<DayFile>> DayFile::open_to_read(const std::string& path, int64_t day_ns) {
  auto file = TRY(open(path, day_ns, Database::Mode::Read));
  TRY(file->check_schema());
  return file;
}

// Beside its place: whoever opens a day finds all of it, however its making ended, and one that is empty is one that lost
// what it held.
Result<> DayFile::make(const std::string& path) {
  const std::string beside = path + ".new";
  for (const char* suffix : kSuffixes) ::unlink((beside + suffix).c_str());
  // Profiles are for their owner: SQLite gives its other files the mode of this one.
  const UniqueFd created(::open(beside.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!created.is_open()) return fail_errno("making " + beside);
  {
    const auto database = TRY(Database::open(beside, Database::Mode::Write));
    TRY(database->execute("PRAGMA synchronous=FULL;"));
    TRY(database->reserve_checksums());
    TRY(database->execute(kPrepare));
    TRY(database->execute(kSchema));
  }
  if (::fsync(created.get()) != 0) return fail_errno("making " + beside);
  return replace_file(beside, path);
}

Result<std::unique_ptr<DayFile>> DayFile::open_to_write(const std::string& path, int64_t day_ns, size_t full_dictionary) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return fail_errno("looking at " + path);
    TRY(make(path));
  }
  auto file = TRY(open(path, day_ns, Database::Mode::Write));
  // The log is cut when it begins anew, so that what lies behind its end is never of an earlier round; and what was written
  // to it is not written again before it is committed, so that every frame can be checked.
  TRY(file->database().execute("PRAGMA synchronous=FULL; PRAGMA journal_size_limit=0; PRAGMA cache_spill=OFF;"));
  TRY(file->check_schema());
  file->full_dictionary_ = std::min(full_dictionary, kFullDictionary);
  return file;
}

Result<Dictionary*> DayFile::dictionary(int64_t id) {
  Known& known = dictionaries_[id];
  known.used = ++calls_;
  // In memory it may reach further than on disk, while a transaction is under way.
  Statement chunks = TRY(database_->prepare("SELECT data FROM chunk WHERE dictionary=? AND height>? ORDER BY height"));
  chunks.bind(1, id).bind(2, static_cast<int64_t>(known.dictionary.height()));
  const auto load = [&]() -> Result<> {
    while (TRY(chunks.step())) {
      TRY(known.dictionary.load(TRY(unpack(chunks.bytes(0)))));
      known.saved = known.dictionary.sizes();
    }
    return {};
  };
  if (known.saved[0] == 0) known.saved = known.dictionary.sizes();
  const Result<> loaded = load();
  if (!loaded.ok()) {
    dictionaries_.erase(id);
    return in_context("dictionary " + std::to_string(id), loaded.error());
  }
  return &known.dictionary;
}

Result<int64_t> DayFile::dictionary_to_add_to(std::string_view service) {
  auto latest = latest_.find(service);
  if (latest == latest_.end()) {
    Statement find = TRY(database_->prepare("SELECT id FROM dictionary WHERE service=? ORDER BY id DESC LIMIT 1"));
    find.bind(1, service);
    if (TRY(find.step())) latest = latest_.emplace(service, find.number(0)).first;
  }
  if (latest != latest_.end()) {
    const auto found = dictionary(latest->second);
    if (found.ok() && (*found)->memory_bytes() < full_dictionary_) return latest->second;
  }
  Statement insert = TRY(database_->prepare("INSERT INTO dictionary(service) VALUES(?)"));
  TRY(insert.bind(1, service).run());
  return latest_[std::string(service)] = database_->last_row();
}

Result<> DayFile::save_dictionaries() {
  for (auto& [id, known] : dictionaries_) {
    const Dictionary::Sizes sizes = known.dictionary.sizes();
    if (sizes == known.saved) continue;
    const std::string packed = pack(known.dictionary.chunk_since(known.saved), Effort::Thorough);
    Statement insert = TRY(database_->prepare("INSERT INTO chunk(dictionary, height, data) VALUES(?, ?, ?)"));
    TRY(insert.bind(1, id).bind(2, static_cast<int64_t>(Dictionary::height(sizes))).bind(3, packed).run());
    known.saved = sizes;
  }
  return {};
}

Result<> DayFile::join_chunks(int64_t id) {
  // From the newest back, as long as a chunk is not much larger than those after it: each byte is then rewritten only as
  // often as the dictionary doubles.
  constexpr int kFewChunks = 8;
  int64_t from_height = 0, joined_bytes = 0;
  int count = 0;
  Dictionary::Sizes begin{};
  {
    Statement chunks =
        TRY(database_->prepare("SELECT height, length(data), data FROM chunk WHERE dictionary=? ORDER BY height DESC"));
    chunks.bind(1, id);
    while (TRY(chunks.step()) && (count == 0 || chunks.number(1) <= 2 * joined_bytes)) {
      from_height = chunks.number(0);
      joined_bytes += chunks.number(1);
      if (++count >= kFewChunks) begin = TRY(Dictionary::begin_of(TRY(unpack(chunks.bytes(2)))));
    }
  }
  if (count < kFewChunks) return {};
  Dictionary* whole = TRY(dictionary(id));
  const std::string packed = pack(whole->chunk_since(begin), Effort::Thorough);
  Statement remove = TRY(database_->prepare("DELETE FROM chunk WHERE dictionary=? AND height>=?"));
  TRY(remove.bind(1, id).bind(2, from_height).run());
  Statement insert = TRY(database_->prepare("INSERT INTO chunk(dictionary, height, data) VALUES(?, ?, ?)"));
  return insert.bind(1, id).bind(2, static_cast<int64_t>(whole->height())).bind(3, packed).run();
}

void DayFile::forget() {
  dictionaries_.clear();
  latest_.clear();
}

size_t DayFile::memory_bytes() const {
  size_t held = 0;
  for (const auto& [id, known] : dictionaries_) held += known.dictionary.memory_bytes();
  return held;
}

void DayFile::trim(size_t bytes) {
  size_t held = memory_bytes();
  while (held > bytes && !dictionaries_.empty()) {
    const auto oldest = std::ranges::min_element(dictionaries_, {}, [](const auto& entry) { return entry.second.used; });
    held -= oldest->second.dictionary.memory_bytes();
    dictionaries_.erase(oldest);
  }
}

Result<> DayFile::insert(const StoredBlock& place, const Block& block) {
  const std::string packed = pack(encode_block(block), place.stage == Stage::Raw ? Effort::Quick : Effort::Thorough);
  Statement insert = TRY(database_->prepare(
      "INSERT INTO block(stage, folded, grp, start, dictionary, series, windows, data) VALUES(?, 0, ?, ?, ?, ?, ?, ?)"));
  insert.bind(1, static_cast<int64_t>(place.stage)).bind(2, place.group).bind(3, place.start_ns).bind(4, place.dictionary);
  return insert.bind(5, place.series).bind(6, static_cast<int64_t>(place.windows)).bind(7, packed).run();
}

Result<std::array<int64_t, kLevels>> DayFile::kept_from() {
  std::array<int64_t, kLevels> result{};
  Statement rows = TRY(database_->prepare("SELECT level, before_ns FROM dropped"));
  while (TRY(rows.step())) {
    if (rows.number(0) >= 0 && rows.number(0) < static_cast<int64_t>(kLevels)) {
      result[static_cast<size_t>(rows.number(0))] = rows.number(1);
    }
  }
  return result;
}

}  // namespace atys::store
