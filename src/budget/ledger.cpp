// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/descriptor_io.h"
#include "base/hex.h"
#include "base/random.h"
#include "base/unique_fd.h"
#include "budget/ledger_journal.h"

namespace atys::budget {

namespace {

constexpr size_t kIdDigits = 16;
constexpr off_t kLongestFile = off_t{64} << 20;  // some 200,000 calls
// Locks are on bytes that the file need not have: one for whoever appends, one for each call under way.
constexpr off_t kAppendLock = 0;
constexpr off_t kFirstCallLock = off_t{1} << 40;
constexpr uint64_t kPatienceNs = 30'000'000'000;
constexpr std::chrono::milliseconds kRetry{2};

struct flock lock_on(off_t byte, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

int64_t unix_ns() { return static_cast<int64_t>(clock_ns(CLOCK_REALTIME)); }

Result<> write_at(int fd, std::string_view bytes, off_t at) {
  if (!write_all_at(fd, bytes, at)) return fail_errno("cannot write the ledger");
  return {};
}

Result<std::string> read_from(int fd, off_t from, off_t to) {
  std::string bytes(static_cast<size_t>(to - from), '\0');
  const std::optional<size_t> got = read_all_at(fd, std::span(bytes), from);
  if (!got) return fail_errno("cannot read the ledger");
  bytes.resize(*got);
  return bytes;
}

// Somebody else who may write there could put back what was spent.
Result<> check_ours(int fd, mode_t type, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail_errno("cannot look at " + path);
  const bool is_private = status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if ((status.st_mode & S_IFMT) != type || (type == S_IFREG && status.st_nlink != 1) || !is_private)
    return fail(ErrorCode::PermissionDenied, "cannot trust " + path + ": it is not this user's alone",
                "make a ledger of your own with atys ledger new");
  return {};
}

Result<UniqueFd> open_folder(const std::string& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.is_open()) return fail_errno("cannot open the folder of ledgers " + folder);
  TRY(check_ours(fd.get(), S_IFDIR, folder));
  return fd;
}

Result<std::string> new_id() { return to_hex(TRY(random_bytes(kIdDigits / 2))); }

std::string file_name(const std::string& id) { return id + ".ledger"; }

}  // namespace

bool is_ledger_id(std::string_view text) { return text.size() == kIdDigits && is_lower_hex(text); }

class Ledger::File {
 public:
  File(std::string id, UniqueFd fd) : id_(std::move(id)), fd_(std::move(fd)) {}

  // Runs `action` while nobody else writes, with everything that others wrote read and the dead buried.
  template <typename Action>
  auto locked(const Action& action) -> decltype(action()) {
    const std::scoped_lock threads(mutex_);
    TRY(take_append_lock());
    auto result = prepared(action);
    struct flock unlock = lock_on(kAppendLock, F_UNLCK);
    // By name, not by closing: a child that is about to be another program holds the same open file.
    (void)::fcntl(fd_.get(), F_OFD_SETLK, &unlock);
    return result;
  }

  Result<Reservation> reserve(const Wanted& wanted);
  Result<LedgerState> settle(const Reservation& reservation, const Charge& used);
  Result<LedgerState> close();
  Result<> append(LedgerRecord record);
  LedgerState state() const {
    LedgerState state = book_.state();
    state.id = id_;
    return state;
  }

 private:
  template <typename Action>
  auto prepared(const Action& action) -> decltype(action()) {
    TRY(catch_up());
    TRY(bury_dead());
    return action();
  }
  Result<> take_append_lock();
  Result<> catch_up();
  Result<> bury_dead();
  bool is_dead(uint64_t number) const;
  bool set_call_lock(uint64_t number, short type) const {
    struct flock lock = lock_on(kFirstCallLock + static_cast<off_t>(number), type);
    return ::fcntl(fd_.get(), F_OFD_SETLK, &lock) == 0;
  }
  Error damaged(const Error& error) const {
    return fail(error.code, "cannot use the ledger " + id_ + ": " + error.message, "make another with atys ledger new");
  }

  std::mutex mutex_;
  std::string id_;
  UniqueFd fd_;
  LedgerJournal journal_;
  LedgerBook book_;
  off_t end_ = 0;  // of the records that were read; what follows them in the file is torn
  std::set<uint64_t> mine_;
};

Result<> Ledger::File::take_append_lock() {
  const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + kPatienceNs;
  struct flock lock = lock_on(kAppendLock, F_WRLCK);
  while (::fcntl(fd_.get(), F_OFD_SETLK, &lock) != 0) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return fail_errno("cannot lock the ledger " + id_);
    if (clock_ns(CLOCK_MONOTONIC) > deadline)
      return fail(ErrorCode::Unavailable, "cannot lock the ledger " + id_ + ": somebody holds it", "try again");
    std::this_thread::sleep_for(kRetry);
  }
  return {};
}

Result<> Ledger::File::catch_up() {
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) return fail_errno("cannot look at the ledger " + id_);
  if (status.st_size > kLongestFile) return damaged(fail(ErrorCode::ResourceExhausted, "it is full"));
  if (status.st_size < end_) return damaged(fail(ErrorCode::InvalidInput, "it was cut off"));
  const std::string bytes = TRY(read_from(fd_.get(), end_, status.st_size));
  const auto parsed = journal_.parse(bytes);
  if (!parsed.ok()) return damaged(parsed.error());
  for (const LedgerRecord& record : parsed->records)
    if (const auto applied = book_.apply(record); !applied.ok()) return damaged(applied.error());
  end_ += static_cast<off_t>(parsed->used);
  return {};
}

bool Ledger::File::is_dead(uint64_t number) const {
  if (mine_.contains(number)) return false;
  struct flock lock = lock_on(kFirstCallLock + static_cast<off_t>(number), F_WRLCK);
  return ::fcntl(fd_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

Result<> Ledger::File::bury_dead() {
  std::vector<uint64_t> dead;
  for (const auto& [number, reservation] : book_.open())
    if (is_dead(number)) dead.push_back(number);
  for (const uint64_t number : dead) TRY(append({.kind = RecordKind::Lapse, .number = number}));
  return {};
}

// What could not be written whole is taken back, so that what the file holds is what callers were told.
Result<> Ledger::File::append(LedgerRecord record) {
  record.time_ns = unix_ns();
  const std::string line = journal_.encode(record);
  if (::ftruncate(fd_.get(), end_) != 0) return fail_errno("cannot mend the ledger " + id_);
  auto written = write_at(fd_.get(), line, end_);
  if (written.ok() && ::fdatasync(fd_.get()) != 0) written = fail_errno("cannot write the ledger " + id_);
  if (!written.ok()) {
    (void)::ftruncate(fd_.get(), end_);
    return written;
  }
  journal_.accept(line);
  end_ += static_cast<off_t>(line.size());
  return book_.apply(record);
}

Result<Reservation> Ledger::File::reserve(const Wanted& wanted) {
  if (book_.is_empty()) return damaged(fail(ErrorCode::InvalidInput, "it never began"));
  auto granted = book_.grant(wanted.most, wanted.least);
  if (!granted.ok()) return in_context("ledger " + id_, granted.error());
  const uint64_t number = book_.next_number();
  // The sign of life first: a record without it is of a dead caller.
  if (!set_call_lock(number, F_WRLCK)) return fail_errno("cannot lock the ledger " + id_);
  const auto written =
      append({.kind = RecordKind::Reserve, .number = number, .pid = ::getpid(), .call = wanted.call, .charge = *granted});
  if (!written.ok()) {
    (void)set_call_lock(number, F_UNLCK);
    return written.error();
  }
  mine_.insert(number);
  return Reservation{number, *granted};
}

Result<LedgerState> Ledger::File::settle(const Reservation& reservation, const Charge& used) {
  if (!mine_.contains(reservation.number))
    return fail(ErrorCode::Internal, "cannot settle: the reservation is over or somebody else's");
  TRY(append(book_.settlement(reservation.number, used)));
  mine_.erase(reservation.number);
  (void)set_call_lock(reservation.number, F_UNLCK);
  return state();
}

Result<LedgerState> Ledger::File::close() {
  if (!book_.state().is_closed) TRY(append({.kind = RecordKind::Close}));
  return state();
}

Ledger::Ledger(std::unique_ptr<File> file) : file_(std::move(file)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Result<std::string> Ledger::create(const std::string& folder, const Budget& budget) {
  std::error_code ignored;  // mkdir says what is wrong
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), ignored);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fail_errno("cannot make the folder of ledgers " + folder);
  const UniqueFd place = TRY(open_folder(folder));
  std::string id = TRY(new_id());
  // Nobody knows the id before it is returned, so nobody sees the file before it is whole.
  const UniqueFd fd(::openat(place.get(), file_name(id).c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.is_open()) return fail_errno("cannot make a ledger in " + folder);
  const LedgerRecord record{.kind = RecordKind::New, .time_ns = unix_ns(), .budget = budget};
  auto written = write_at(fd.get(), LedgerJournal().encode(record), 0);
  if (written.ok() && ::fsync(fd.get()) != 0) written = fail_errno("cannot write a ledger in " + folder);
  if (!written.ok()) {
    (void)::unlinkat(place.get(), file_name(id).c_str(), 0);
    return written.error();
  }
  if (::fsync(place.get()) != 0) return fail_errno("cannot write the folder " + folder);
  return id;
}

Result<Ledger> Ledger::open(const std::string& folder, const std::string& id) {
  if (!is_ledger_id(id))
    return fail(ErrorCode::InvalidInput, "'" + id + "' is no id of a ledger",
                "give the 16 digits that atys ledger new printed");
  auto place = open_folder(folder);
  UniqueFd fd(place.ok() ? ::openat(place->get(), file_name(id).c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1);
  if (!place.ok() && place.error().code != ErrorCode::NotFound) return place.error();
  if (!place.ok() || (!fd.is_open() && errno == ENOENT))
    return fail(ErrorCode::NotFound, "there is no ledger " + id + " in " + folder, "make one with atys ledger new");
  if (!fd.is_open()) return fail_errno("cannot open the ledger " + id);
  TRY(check_ours(fd.get(), S_IFREG, folder + "/" + file_name(id)));
  Ledger ledger(std::make_unique<File>(id, std::move(fd)));
  TRY(ledger.state());
  return ledger;
}

Result<Reservation> Ledger::reserve(const Wanted& wanted) {
  return file_->locked([&]() { return file_->reserve(wanted); });
}

Result<LedgerState> Ledger::settle(const Reservation& reservation, const Charge& used) {
  return file_->locked([&]() { return file_->settle(reservation, used); });
}

Result<LedgerState> Ledger::state() {
  return file_->locked([&]() -> Result<LedgerState> { return file_->state(); });
}

Result<LedgerState> Ledger::close() {
  return file_->locked([&]() { return file_->close(); });
}

}  // namespace atys::budget
