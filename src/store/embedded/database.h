// SPDX-License-Identifier: Apache-2.0
// A thin layer over SQLite: errors are Results, statements are prepared once and reused. One connection belongs to one
// thread at a time. A damaged file gives ErrorCode::InvalidInput and nothing else does, so that callers can set it aside.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace atys::store {

// A statement in use; what it holds of the database is let go when it ends.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement(Statement&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Parameters count from 1. Bytes have to live until the statement has run.
  Statement& bind(int parameter, int64_t value);
  Statement& bind(int parameter, std::string_view bytes);

  Result<bool> step();  // whether there is a row
  Result<> run();       // to its end
  int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string_view bytes(int column) const;  // until the next step

 private:
  sqlite3_stmt* statement_;
};

class Database {
 public:
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  enum class Mode { Read, Write, Create };

  static Result<std::unique_ptr<Database>> open(const std::string& path, Mode mode);

  // Of a file that is still empty: leaves room in its pages for what checked_vfs.h puts there.
  Result<> reserve_checksums();
  Result<> execute(const char* statements);
  // `text` is a literal: it is what the prepared statement is known by. Not to be used twice at once.
  Result<Statement> prepare(const char* text);
  Result<int64_t> number(const char* query);  // the first column of the first row; 0 where there is none
  int64_t last_row() const { return sqlite3_last_insert_rowid(database_.get()); }
  int64_t changes() const { return sqlite3_changes64(database_.get()); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
  std::map<const char*, std::unique_ptr<sqlite3_stmt, Close>> statements_;
};

// Rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database, bool write);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;
};

}  // namespace atys::store
