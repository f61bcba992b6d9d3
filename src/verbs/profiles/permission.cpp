// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/permission.h"

#include <fnmatch.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "language/languages.h"
#include "linux/process.h"

namespace atys::verbs {

namespace fs = std::filesystem;

namespace {

constexpr int kMostAncestors = 64;

// What does as its first argument, a file, says; null: `typed` is nothing such.
const language::Interpreter* runner_of_files(const std::string& typed) {
  static const std::vector<language::KnownInterpreter> kInterpreters = language::all_interpreters();
  for (const auto& [language, interpreter] : kInterpreters)
    for (const std::string_view glob : interpreter->runs_first_argument)
      if (::fnmatch(std::string(glob).c_str(), typed.c_str(), 0) == 0) return interpreter;
  return nullptr;
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? std::string() : real.string();
}

std::string link_of(pid_t pid, const char* name) {
  std::error_code error;
  const fs::path target = fs::read_symlink("/proc/" + std::to_string(pid) + "/" + name, error);
  return error ? std::string() : target.string();
}

bool lies_in(const std::string& path, const std::string& tree) {
  return path == tree || (path.size() > tree.size() && path.starts_with(tree) && path[tree.size()] == '/');
}

bool is_executable_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Real, effective and saved: a program that runs with the rights of another is not its user's alone.
std::vector<uint32_t> users_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("Uid:")) continue;
    std::istringstream numbers(line.substr(4));
    std::vector<uint32_t> users(3);
    for (uint32_t& user : users) numbers >> user;
    return numbers ? users : std::vector<uint32_t>();
  }
  return {};
}

Result<uint32_t> user_number(const std::string& name) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) return number;
  const passwd* entry = ::getpwnam(name.c_str());
  if (entry == nullptr) return fail(ErrorCode::NotFound, "no user is called '" + name + "'", "see getent passwd");
  return entry->pw_uid;
}

Error refused(const std::string& what, const std::string& hint) { return fail(ErrorCode::PermissionDenied, what, hint); }

}  // namespace

std::string find_executable(const std::string& name, const std::string& folder, const std::string& search_path) {
  if (name.find('/') != std::string::npos) {
    const std::string path = name.front() == '/' ? name : folder + "/" + name;
    return is_executable_file(path) ? path : std::string();
  }
  std::istringstream folders(search_path);
  for (std::string at; std::getline(folders, at, ':');) {
    const std::string path = (at.empty() ? folder : at.front() == '/' ? at : folder + "/" + at) + "/" + name;
    if (is_executable_file(path)) return path;
  }
  return {};
}

Result<Permission> Permission::create(const AllowList& list, const std::string& working_folder) {
  Permission permission;
  permission.any_ = list.any;
  permission.no_run_ = list.no_run;
  permission.fleet_ = list.fleet;
  permission.commands_ = list.commands;
  permission.pids_ = list.pids;
  for (const std::string& user : list.users) permission.users_.push_back(TRY(user_number(user)));
  std::vector<std::string> trees = list.trees;
  const bool is_default = list.commands.empty() && list.trees.empty() && list.users.empty() && list.pids.empty();
  if (is_default) {
    trees.push_back(working_folder);
    permission.is_default_for_root_ = ::geteuid() == 0 && !list.any;
    if (!permission.is_default_for_root_) permission.users_.push_back(::geteuid());
  }
  for (const std::string& tree : trees) {
    const std::string real = real_path(tree);
    if (real.empty() && !is_default) return fail(ErrorCode::NotFound, "no folder '" + tree + "'", "name one that exists");
    if (!real.empty() && real != "/") permission.trees_.push_back(real);
    if (real == "/" && !is_default)
      return fail(ErrorCode::InvalidInput, "/ is no working tree", "--allow-any allows everything");
  }
  return permission;
}

const std::string& Permission::tree() const {
  static const std::string kNone;
  return trees_.empty() ? kNone : trees_.front();
}

bool Permission::is_in_a_tree(const std::string& path) const {
  return !path.empty() && std::ranges::any_of(trees_, [&](const std::string& tree) { return lies_in(path, tree); });
}

bool Permission::runs_in_a_tree(pid_t pid) const {
  return is_in_a_tree(link_of(pid, "cwd")) || is_in_a_tree(link_of(pid, "exe"));
}

bool Permission::is_started_from_a_tree(pid_t pid) const {
  for (int steps = 0; steps < kMostAncestors && pid > 0; ++steps) {
    if (runs_in_a_tree(pid)) return true;
    const auto process = linux::read_process(pid);
    if (!process.ok()) return false;
    pid = process->parent;
  }
  return false;
}

// A name without a slash in the list is one that the client typed without, so that a file of the client's that has the
// same name does not fit.
bool Permission::matches_command(const std::string& typed, const std::string& found) const {
  const fs::path path = fs::path(found);
  const std::string in_real_folder = real_path(path.parent_path().string()) + "/" + path.filename().string();
  const std::string real = real_path(found);
  return std::ranges::any_of(commands_, [&](const std::string& glob) {
    if (glob.find('/') == std::string::npos)
      return typed.find('/') == std::string::npos && ::fnmatch(glob.c_str(), typed.c_str(), 0) == 0;
    return ::fnmatch(glob.c_str(), in_real_folder.c_str(), 0) == 0 || ::fnmatch(glob.c_str(), real.c_str(), 0) == 0;
  });
}

// By a name on PATH, and with nothing before the file: an option may be a program of its own, as after -c and -e.
bool Permission::interprets_a_file_of_a_tree(const std::vector<std::string>& command, const std::string& found,
                                             const std::string& folder) const {
  const std::string& typed = command.front();
  const bool is_by_name = found.find('/') != std::string::npos && typed.find('/') == std::string::npos;
  const language::Interpreter* runner = is_by_name ? runner_of_files(typed) : nullptr;
  if (runner == nullptr) return false;
  const bool has_option = command.size() > 1 && !command[1].empty() && command[1] == runner->option_before_file;
  const size_t at = has_option ? 2 : 1;
  if (command.size() <= at || command[at].empty() || command[at].front() == '-') return false;
  const std::string& file = command[at];
  return is_in_a_tree(real_path(file.front() == '/' ? file : folder + "/" + file));
}

std::string Permission::why_no_command() const {
  if (no_run_) return "this server runs no commands: it was started with --no-run";
  if (is_default_for_root_)
    return "this server is root's and was told of no command, so it runs none: a command would have every right on this "
           "machine";
  return {};
}

Result<> Permission::may_run(const std::vector<std::string>& command, const std::string& folder) const {
  if (command.empty() || command.front().empty())
    return fail(ErrorCode::InvalidInput, "no command given", "give the program and its arguments as a list of strings");
  if (const std::string why = why_no_command(); !why.empty())
    return refused(why, no_run_ ? "record running processes (pids), or ask the operator"
                                : "the operator can allow it: atys mcp --allow-tree '" + (tree().empty() ? folder : tree()) +
                                      "' (programs and scripts in it), --allow-command '" + command.front() +
                                      "', or --allow-any");
  const char* search_path = ::getenv("PATH");
  const std::string found = find_executable(command.front(), folder, search_path != nullptr ? search_path : "/usr/bin:/bin");
  if (found.empty() && command.front().find(' ') != std::string::npos)
    return fail(ErrorCode::NotFound, "no program is called '" + command.front() + "', with a space in its name",
                "there is no shell: give the program and each argument as a text of its own, [\"./prog\", \"10\"]");
  if (found.empty())
    return fail(ErrorCode::NotFound, "no program '" + command.front() + "' in " + folder + " or on PATH",
                "build it first, or name it by its path");
  if (any_ || is_in_a_tree(real_path(found)) || interprets_a_file_of_a_tree(command, found, folder) ||
      matches_command(command.front(), found))
    return {};
  return refused("may not run " + found + ": allowed is " + describe(),
                 "name a program or a script of the tree; the operator can allow it: atys mcp --allow-command '" + found +
                     "'" + (tree().empty() ? "" : " --allow-tree '" + tree() + "'"));
}

Result<> Permission::may_record(pid_t pid) const {
  if (any_ || std::ranges::find(pids_, pid) != pids_.end()) return {};
  const std::vector<uint32_t> users = users_of(pid);
  if (users.empty())
    return fail(ErrorCode::NotFound, "no process has the number " + std::to_string(pid), "it may have ended");
  const auto is_listed = [&](uint32_t user) { return std::ranges::find(users_, user) != users_.end(); };
  if (std::ranges::all_of(users, is_listed)) return {};
  if (runs_in_a_tree(pid) || (is_default_for_root_ && is_started_from_a_tree(pid))) return {};
  return refused("may not record process " + std::to_string(pid) + ": allowed is " + describe(),
                 "the operator can allow it: atys mcp --allow-pid " + std::to_string(pid) + ", --allow-user " +
                     std::to_string(users.front()) + ", or --allow-tree FOLDER");
}

Result<> Permission::may_record_host() const {
  if (any_) return {};
  return refused("may not record the whole host: allowed is " + describe(),
                 "name a command or pids; the operator can allow it: atys mcp --allow-any");
}

Result<> Permission::may_ask_fleet() const {
  if (any_ || fleet_) return {};
  return refused("may not ask the fleet: allowed is " + describe(),
                 "the operator can allow it: atys mcp --allow-fleet, with ATYS_CONTROLLER and ATYS_TOKEN set");
}

Result<std::string> Permission::may_read(const std::string& path) const {
  const std::string full = path.starts_with('/') || tree().empty() ? path : tree() + "/" + path;
  std::error_code error;
  // Whether it exists is not told of files that may not be read.
  const std::string real = fs::weakly_canonical(full, error).string();
  if (!any_ && !is_in_a_tree(real))
    return refused("may not read " + path + ": allowed are profiles of the library and files in " + joined(trees_),
                   "use the id of a profile; the operator can allow it: atys mcp --allow-tree FOLDER");
  if (!fs::is_regular_file(real, error))
    return fail(ErrorCode::NotFound, "no profile or file '" + path + "'", "profile_list shows what there is");
  return real;
}

std::string Permission::describe() const {
  if (any_) return no_run_ ? "everything but commands" : "everything";
  std::vector<std::string> parts;
  const bool runs = why_no_command().empty();
  if (runs && !commands_.empty()) parts.push_back("commands " + joined(commands_));
  if (runs && !trees_.empty())
    parts.push_back("programs in " + joined(trees_) + " and interpreters of scripts there (python3 FILE)");
  if (!runs) parts.push_back("no command");
  if (!trees_.empty()) parts.push_back("processes in " + joined(trees_));
  if (is_default_for_root_ && !trees_.empty()) parts.push_back("what was started from there");
  for (const uint32_t user : users_) parts.push_back("processes of user " + std::to_string(user));
  for (const int pid : pids_) parts.push_back("process " + std::to_string(pid));
  if (fleet_) parts.emplace_back("services of the fleet");
  return parts.empty() ? "nothing" : joined(parts);
}

}  // namespace atys::verbs
