// SPDX-License-Identifier: Apache-2.0
#include "verbs/comparison/callgrind.h"

#include <stdlib.h>

#include <charconv>
#include <filesystem>

#include "linux/proc_file.h"

namespace atys::verbs {

namespace {

constexpr size_t kLongestLog = 1 << 20;

// Its own folder in the temporary one, gone when this is.
class Folder {
 public:
  static Result<Folder> create() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "atys-callgrind-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) return fail_errno("make a folder for callgrind");
    Folder folder;
    folder.path_ = path;
    return folder;
  }
  Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  Folder() = default;
  std::string path_;
};

}  // namespace

uint64_t collected_in(std::string_view log) {
  constexpr std::string_view kWord = "Collected : ";
  uint64_t sum = 0;
  for (size_t at = log.find(kWord); at != std::string_view::npos; at = log.find(kWord, at)) {
    at += kWord.size();
    uint64_t count = 0;
    std::from_chars(log.data() + at, log.data() + log.size(), count);
    sum += count;
  }
  return sum;
}

Result<uint64_t> count_instructions(const std::vector<std::string>& command, const linux::RunLimits& limits) {
  const Folder folder = TRY(Folder::create());
  std::vector<std::string> wrapped{"valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null",
                                   "--log-file=" + folder.path() + "/%p.log"};
  wrapped.insert(wrapped.end(), command.begin(), command.end());
  const auto run = linux::run_measured(wrapped, limits);
  if (!run.ok() && run.error().code == ErrorCode::NotFound)
    return fail(ErrorCode::NotFound, "valgrind is not installed", "apt-get install valgrind");
  if (!run.ok()) return run.error();
  if (run->was_stopped)
    return fail(ErrorCode::ResourceExhausted, "callgrind did not end in time", "give more with --max-time");
  if (run->exit_status != 0)
    return fail(ErrorCode::Unsupported,
                "the command failed under callgrind with status " + std::to_string(run->exit_status));
  uint64_t sum = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(), error))
    if (const auto log = linux::read_proc_file(entry.path().string(), kLongestLog); log.ok()) sum += collected_in(*log);
  if (sum == 0) return fail(ErrorCode::Unsupported, "callgrind counted nothing");
  return sum;
}

}  // namespace atys::verbs
