// SPDX-License-Identifier: Apache-2.0
#include "capture/preload/shared_space.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/path_names.h"

namespace atys::preload {

namespace {

constexpr int kMostInterpreters = 4;  // a script may be run by a script

class OpenedFile {
 public:
  explicit OpenedFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  bool is_open() const { return fd_.is_open(); }
  ssize_t read_at(void* into, size_t size, uint64_t offset) {
    return ::pread(fd_.get(), into, size, static_cast<off_t>(offset));
  }
  bool gains_rights() {
    struct stat status {};
    return ::fstat(fd_.get(), &status) != 0 || (status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
           ::fgetxattr(fd_.get(), kCapabilitiesOfFile, nullptr, 0) > 0;
  }

 private:
  UniqueFd fd_;
};

std::string find_on_path(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/bin:/usr/bin" : path;
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string file = folders.substr(at, end - at) + "/" + command;
    if (::access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return command;
}

// Of "#!/usr/bin/env python3 -u", word by word. Empty: no script.
std::vector<std::string> interpreter_words(OpenedFile& file) {
  std::array<char, 256> line{};
  const ssize_t got = file.read_at(line.data(), line.size() - 1, 0);
  std::string text(line.data(), got > 0 ? static_cast<size_t>(got) : 0);
  if (!text.starts_with("#!")) return {};
  std::istringstream line_of(text.substr(2, text.find('\n') - 2));
  std::vector<std::string> words;
  for (std::string word; line_of >> word;) words.push_back(word);
  return words;
}

Result<UniqueFd> make_memory(const char* name, unsigned flags) {
  UniqueFd fd(::memfd_create(name, flags | MFD_CLOEXEC));
  if (!fd.is_open()) return fail_errno("making a file in memory");
  return fd;
}

std::string path_of(const UniqueFd& fd) { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd.get()); }

}  // namespace

Result<std::unique_ptr<SharedSpace>> SharedSpace::create() {
  std::unique_ptr<SharedSpace> space(new SharedSpace);
  const auto library = preload_library();
  space->library_ = TRY(make_memory(kLibraryName, MFD_ALLOW_SEALING));
  if (::write(space->library_.get(), library.data(), library.size()) != static_cast<ssize_t>(library.size()))
    return fail_errno("writing the library to memory");
  // Whoever has it loaded cannot be given other code.
  (void)::fcntl(space->library_.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  (void)::fchmod(space->library_.get(), 0500);
  space->memory_ = TRY(make_memory(kMemoryName, MFD_ALLOW_SEALING));
  if (::ftruncate(space->memory_.get(), sizeof(Shared)) != 0) return fail_errno("making shared memory");
  // A program that made it smaller would have us fault.
  (void)::fcntl(space->memory_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void* at = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, space->memory_.get(), 0);
  if (at == MAP_FAILED) return fail_errno("mapping shared memory");
  space->shared_ = static_cast<Shared*>(at);
  space->shared_->magic = kMagic;
  return space;
}

SharedSpace::~SharedSpace() {
  if (shared_ == nullptr) return;
  __atomic_store_n(&shared_->is_over, 1u, __ATOMIC_SEQ_CST);
  ::munmap(shared_, sizeof(Shared));
}

// Libraries that are to be preloaded anyway stay in front of ours; a list that is there but empty is so again without us.
std::vector<std::string> SharedSpace::environment() const {
  const char* before = std::getenv("LD_PRELOAD");
  const std::string others = before == nullptr ? "" : std::string(before) + ":";
  return {kPreloadVariable + others + path_of(library_), kSharedVariable + path_of(memory_)};
}

Preload judge_command(const std::string& command) {
  std::string path = find_on_path(command);
  for (int i = 0; i < kMostInterpreters; ++i) {
    OpenedFile file(path);
    if (!file.is_open()) return Preload::NotReadable;
    const auto interpreter = interpreter_words(file);
    if (interpreter.empty()) return ProgramFile<OpenedFile>(file).judge();
    path = interpreter[0];
  }
  return Preload::NotAProgram;
}

std::string program_of(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  for (int i = 0; i < kMostInterpreters && !words.empty(); ++i) {
    const std::string path = find_on_path(words[0]);
    const std::string name(base_name(path));
    if (name == "env") {  // its options and variables stand before what it runs
      size_t at = 1;
      while (at < words.size() && (words[at].starts_with('-') || words[at].find('=') != std::string::npos)) ++at;
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    OpenedFile file(path);
    std::vector<std::string> interpreter;
    if (file.is_open()) interpreter = interpreter_words(file);
    if (interpreter.empty()) return name;
    words = interpreter;
  }
  return {};
}

std::string explain(Preload preload) {
  switch (preload) {
    case Preload::Works: return "it can be preloaded";
    case Preload::NotReadable: return "its file cannot be read";
    case Preload::Static: return "it is statically linked";
    case Preload::OtherMachine: return "it is of another architecture";
    case Preload::GainsRights: return "it runs with the rights of another user";
    case Preload::HasToBeFirst: return "it was built with a sanitizer";
    case Preload::NotAProgram: return "it is no program that the system can load";
  }
  return "";
}

}  // namespace atys::preload
