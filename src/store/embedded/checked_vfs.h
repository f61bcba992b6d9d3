// SPDX-License-Identifier: Apache-2.0
// A layer between SQLite and its files that puts a checksum into every page that is written and looks at it whenever one is
// read, from the file or from the log: tables, indexes, lists of free pages, the schema, whatever an answer rests on. What
// is damaged is SQLITE_IOERR_DATA. It lies on whichever VFS is the default when a file is opened.
#pragma once

namespace atys::store {

// Its name, for sqlite3_open_v2; registered when it is first asked for.
const char* checked_vfs();

}  // namespace atys::store
