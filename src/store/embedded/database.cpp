// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/database.h"

#include "store/embedded/checked_vfs.h"
#include "store/embedded/page_check.h"

namespace atys::store {

namespace {

// Readers never wait for the writer with a write-ahead log, but for moments: recovery, checkpoints that reset the log.
constexpr int kBusyMs = 10'000;

ErrorCode code_of(int status) {
  if (status == SQLITE_IOERR_DATA) return ErrorCode::InvalidInput;  // a checksum that does not fit
  switch (status & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorCode::InvalidInput;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::Unavailable;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM: return ErrorCode::ResourceExhausted;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH: return ErrorCode::PermissionDenied;
    case SQLITE_CANTOPEN: return ErrorCode::NotFound;
    case SQLITE_IOERR: return ErrorCode::Unavailable;
    default: return ErrorCode::Internal;
  }
}

Error error_of(sqlite3* database, int status) {
  std::string message = status == SQLITE_IOERR_DATA ? "damaged: a checksum does not fit" : sqlite3_errstr(status);
  if (database != nullptr && message != sqlite3_errmsg(database)) {
    message += std::string(" (") + sqlite3_errmsg(database) + ")";
  }
  return fail(code_of(status), std::move(message));
}

Error error_of(sqlite3_stmt* statement, int status) { return error_of(sqlite3_db_handle(statement), status); }

}  // namespace

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Statement& Statement::bind(int parameter, int64_t value) {
  CHECK(sqlite3_bind_int64(statement_, parameter, value) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view bytes) {
  // A null pointer would be stored as NULL.
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  CHECK(sqlite3_bind_blob64(statement_, parameter, data, bytes.size(), SQLITE_STATIC) == SQLITE_OK);
  return *this;
}

Result<bool> Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return error_of(statement_, status);
}

Result<> Statement::run() {
  while (TRY(step())) {
  }
  return {};
}

std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {data, data == nullptr ? 0 : static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Mode mode) {
  sqlite3* opened = nullptr;
  const int flags = (mode == Mode::Read    ? SQLITE_OPEN_READONLY
                     : mode == Mode::Write ? SQLITE_OPEN_READWRITE
                                           : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  const int status = sqlite3_open_v2(path.c_str(), &opened, flags, checked_vfs());
  std::unique_ptr<Database> database(new Database(opened));
  if (status != SQLITE_OK) return error_of(opened, status);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kBusyMs);
  // The file may have been made by anybody: its schema may call no functions, and its cells are checked before they are
  // believed.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 256 << 20);
  TRY(database->execute("PRAGMA cell_size_check=ON"));
  return database;
}

Result<> Database::reserve_checksums() {
  int bytes = kChecksumBytes;
  const int status = sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  if (status != SQLITE_OK) return error_of(database_.get(), status);
  return {};
}

Result<> Database::execute(const char* statements) {
  const int status = sqlite3_exec(database_.get(), statements, nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return error_of(database_.get(), status);
  return {};
}

Result<Statement> Database::prepare(const char* text) {
  auto& known = statements_[text];
  if (known == nullptr) {
    sqlite3_stmt* made = nullptr;
    const int status = sqlite3_prepare_v3(database_.get(), text, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    if (status != SQLITE_OK) return error_of(database_.get(), status);
    known.reset(made);
  }
  CHECK(!sqlite3_stmt_busy(known.get()));
  return Statement(known.get());
}

Result<int64_t> Database::number(const char* query) {
  Statement statement = TRY(prepare(query));
  return TRY(statement.step()) ? statement.number(0) : 0;
}

Result<Transaction> Transaction::begin(Database& database, bool write) {
  TRY(database.execute(write ? "BEGIN IMMEDIATE" : "BEGIN"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->execute("ROLLBACK").ok();
}

Result<> Transaction::commit() {
  TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace atys::store
