// SPDX-License-Identifier: Apache-2.0
// What a client that is not the operator may have recorded, started and read. Everything that is not allowed is refused,
// with the option that would allow it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace atys::verbs {

// As the operator says it. All empty: what belongs to the client's own work, see `Permission`.
struct AllowList {
  bool any = false;                   // everything, the whole host too
  bool no_run = false;                // no command at all, whatever else is allowed
  bool fleet = false;                 // profiles of the controller that we are told of, beside whatever else is allowed
  std::vector<std::string> commands;  // globs: of the executable's path, or, without a slash, of a name found on PATH
  std::vector<std::string> trees;     // folders: programs and scripts in them, processes that run there
  std::vector<std::string> users;     // names or numbers: their processes
  std::vector<int> pids;
};

class Permission {
 public:
  // Without a list: programs that lie in `working_folder`, interpreters of a script that does, files in it, and processes
  // of our own user. Where we are root that would be everything, so there no command at all, and only processes that run
  // in the folder or were started by one that does. The root of the file system is no working folder.
  static Result<Permission> create(const AllowList& list, const std::string& working_folder);

  // `folder` is where the command will run, absolute.
  Result<> may_run(const std::vector<std::string>& command, const std::string& folder) const;
  Result<> may_record(pid_t pid) const;
  Result<> may_record_host() const;
  // Services of a controller: which, and as whom, is the operator's business alone.
  Result<> may_ask_fleet() const;
  // The file behind all links.
  Result<std::string> may_read(const std::string& path) const;

  bool allows_everything() const { return any_; }
  // Why no command may run; empty: some may.
  std::string why_no_command() const;
  // The first of the trees, where commands run unless they say otherwise; empty: there is none.
  const std::string& tree() const;
  // For the client: "commands in /src, processes of user 1000".
  std::string describe() const;

 private:
  Permission() = default;
  bool is_in_a_tree(const std::string& real_path) const;
  bool runs_in_a_tree(pid_t pid) const;
  bool is_started_from_a_tree(pid_t pid) const;
  bool interprets_a_file_of_a_tree(const std::vector<std::string>& command, const std::string& found,
                                   const std::string& folder) const;
  bool matches_command(const std::string& typed, const std::string& found) const;

  bool any_ = false;
  bool no_run_ = false;
  bool fleet_ = false;
  bool is_default_for_root_ = false;
  std::vector<std::string> commands_;
  std::vector<std::string> trees_;
  std::vector<uint32_t> users_;
  std::vector<int> pids_;
};

// Where a command would be found: as typed if it has a slash, seen from `folder`; else on `search_path`. Empty: nowhere.
std::string find_executable(const std::string& name, const std::string& folder, const std::string& search_path);

}  // namespace atys::verbs
