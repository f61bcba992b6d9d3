// SPDX-License-Identifier: Apache-2.0
// What the program starts: it gets the library too, where that works unnoticed. Nothing here allocates: a child that shares
// our memory may call it.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "capture/preload/elf_check.h"
#include "capture/preload/library/library.h"

extern "C" {
extern char** environ __attribute__((weak));
int* __errno_location() __attribute__((weak));
}

namespace atys::preload {

namespace {

using Strings = char* const*;

constexpr size_t kMostVariables = 16384;
constexpr size_t kLongestVariable = 8192;
constexpr size_t kLongestPath = 4096;
constexpr size_t kMostArguments = 4096;

int fail_with(long result) {
  if (__errno_location != nullptr) *__errno_location() = static_cast<int>(-result);
  return -1;
}

class OpenedFile {
 public:
  explicit OpenedFile(const char* path) : fd_(open_file(path, O_RDONLY | O_NONBLOCK)) {}
  ~OpenedFile() {
    if (fd_ >= 0) close_file(fd_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  bool is_open() const { return fd_ >= 0; }
  ssize_t read_at(void* into, size_t size, uint64_t offset) {
    return call(SYS_pread64, fd_, as_long(into), static_cast<long>(size), static_cast<long>(offset));
  }
  bool gains_rights() {
    struct stat status {};
    if (call(SYS_newfstatat, fd_, as_long(""), as_long(&status), 0x1000 /* AT_EMPTY_PATH */) != 0) return true;
    return (status.st_mode & (S_ISUID | S_ISGID)) != 0;
  }

 private:
  int fd_;
};

// "#!/usr/bin/env python3": the interpreter is what is loaded. Returns whether there is one.
bool interpreter_of(OpenedFile& file, char* path, size_t size) {
  char line[256] = {};
  const ssize_t got = file.read_at(line, sizeof line - 1, 0);
  if (got < 3 || line[0] != '#' || line[1] != '!') return false;
  size_t from = 2;
  while (line[from] == ' ' || line[from] == '\t') ++from;
  size_t length = 0;
  while (line[from + length] > ' ' && length + 1 < size) ++length;
  copy_bytes(path, line + from, length);
  path[length] = 0;
  return length > 0;
}

bool works_for(const char* path) {
  char interpreter[256];
  OpenedFile file(path);
  if (!file.is_open()) return false;
  if (interpreter_of(file, interpreter, sizeof interpreter)) {
    OpenedFile other(interpreter);
    return other.is_open() && ProgramFile<OpenedFile>(other).judge() == Preload::Works;
  }
  return ProgramFile<OpenedFile>(file).judge() == Preload::Works;
}

const char* value_in(Strings variables, const char* start) {
  for (; variables != nullptr && *variables != nullptr; ++variables)
    if (begins_with(*variables, start)) return *variables + length_of(start);
  return nullptr;
}

// As execvp() looks for it. False: it is nowhere.
bool find_program(const char* name, char* path) {
  const char* folders = &environ != nullptr ? value_in(environ, "PATH=") : nullptr;
  if (folders == nullptr) folders = "/bin:/usr/bin";
  const size_t name_length = length_of(name);
  while (*folders != 0) {
    size_t length = 0;
    while (folders[length] != 0 && folders[length] != ':') ++length;
    if (length + name_length + 2 <= kLongestPath) {
      copy_bytes(path, folders, length);
      path[length] = '/';
      copy_bytes(path + length + 1, name, name_length + 1);
      if (call(SYS_faccessat, AT_FDCWD, as_long(path), 1) == 0) return true;
    }
    folders += length + (folders[length] == ':' ? 1 : 0);
  }
  return false;
}

bool is_path(const char* name) {
  for (; *name != 0; ++name)
    if (*name == '/') return true;
  return false;
}

bool is_followed(const char* name, bool is_searched) {
  if (library.shared == nullptr || name == nullptr || __atomic_load_n(&library.shared->is_over, __ATOMIC_ACQUIRE) != 0)
    return false;
  if (!may_read(library.path) || !may_read(library.shared_path)) return false;  // another root, another user
  char path[kLongestPath];
  if (is_searched && !is_path(name)) return find_program(name, path) && works_for(path);
  return works_for(name);
}

size_t count_of(Strings strings) {
  size_t count = 0;
  while (strings != nullptr && strings[count] != nullptr) ++count;
  return count;
}

// Room for an environment with our words in it, on the stack of whoever asks.
struct Words {
  char preload[kLongestVariable];
  char shared[256];
};

bool write_words(Strings variables, Words& words) {
  const char* before = value_in(variables, kPreloadVariable);
  const size_t start = sizeof kPreloadVariable - 1;
  const size_t length = before == nullptr ? 0 : length_of(before);
  const size_t path = length_of(library.path);
  if (start + length + path + 2 > sizeof words.preload) return false;
  copy_bytes(words.preload, kPreloadVariable, start);
  size_t at = start;
  if (length > 0) {
    copy_bytes(words.preload + at, before, length);
    words.preload[at + length] = ':';
    at += length + 1;
  }
  copy_bytes(words.preload + at, library.path, path + 1);
  copy_bytes(words.shared, kSharedVariable, sizeof kSharedVariable - 1);
  copy_bytes(words.shared + sizeof kSharedVariable - 1, library.shared_path, length_of(library.shared_path) + 1);
  return true;
}

// `all` has room for two more than `variables` and the end.
void put_together(Strings variables, Words& words, char** all) {
  size_t at = 0;
  for (size_t i = 0; variables != nullptr && variables[i] != nullptr; ++i)
    if (!begins_with(variables[i], kPreloadVariable) && !begins_with(variables[i], kSharedVariable))
      all[at++] = variables[i];
  all[at++] = words.preload;
  all[at++] = words.shared;
  all[at] = nullptr;
}

// Calls `run` with the environment that a program is to be started with.
template <typename Run>
auto with_environment(const char* name, bool is_searched, Strings variables, Run run) {
  Words words;
  const size_t count = count_of(variables);
  if (!is_followed(name, is_searched) || count > kMostVariables || !write_words(variables, words)) return run(variables);
  char** all = static_cast<char**>(__builtin_alloca((count + 3) * sizeof(char*)));
  put_together(variables, words, all);
  return run(static_cast<Strings>(all));
}

// A signal that is under way would find the next program unprepared; ours of the first choice does it no harm.
template <typename Run>
int execute(Run run) {
  const bool is_safe = library.signal == kFirstSignal || library.signal == 0;
  if (!is_safe) pause_signals();
  const int result = run();
  if (!is_safe) resume_signals();
  return result;
}

int execute_path(const char* path, Strings arguments, Strings variables) {
  return execute([&] {
    return with_environment(path, false, variables, [&](Strings all) {
      return fail_with(call(SYS_execve, as_long(path), as_long(arguments), as_long(all)));
    });
  });
}

int execute_found(const char* name, Strings arguments, Strings variables) {
  auto* real = next<int(const char*, Strings, Strings)>("execvpe");
  if (real == nullptr) return fail_with(-ENOSYS);
  return execute(
      [&] { return with_environment(name, true, variables, [&](Strings all) { return real(name, arguments, all); }); });
}

// Arguments of execl() and its like, up to the end that is among them.
size_t count_arguments(va_list list) {
  va_list copy;
  va_copy(copy, list);
  size_t count = 1;
  while (va_arg(copy, char*) != nullptr && count < kMostArguments) ++count;
  va_end(copy);
  return count;
}
// `into` has room for one more.
void collect_arguments(const char* first, va_list& list, size_t count, char** into) {
  into[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; ++i) into[i] = va_arg(list, char*);
}

Strings own_environment() { return &environ != nullptr ? environ : nullptr; }

// Functions that take what to start with from `environ` itself: it has our words for so long. Who changed it meanwhile has
// taken them over, and they are taken out again.
template <typename Run>
auto with_own_environment(Run run) {
  char** before = &environ != nullptr ? environ : nullptr;
  return with_environment("/bin/sh", false, before, [&](Strings all) {
    if (all == before || before == nullptr) return run();
    environ = const_cast<char**>(all);
    auto result = run();
    if (environ == all) {
      environ = before;
      return result;
    }
    for (char** entry = environ; *entry != nullptr;)
      if (begins_with(*entry, kSharedVariable) || *entry == all[count_of(all) - 2])
        for (char** moved = entry; *moved != nullptr; ++moved) moved[0] = moved[1];
      else
        ++entry;
    return result;
  });
}

}  // namespace

}  // namespace atys::preload

using namespace atys::preload;

extern "C" {
#pragma GCC visibility push(default)

int execve(const char* path, char* const arguments[], char* const variables[]) {
  return execute_path(path, arguments, variables);
}
int execv(const char* path, char* const arguments[]) { return execute_path(path, arguments, own_environment()); }
int execvpe(const char* name, char* const arguments[], char* const variables[]) {
  return execute_found(name, arguments, variables);
}
int execvp(const char* name, char* const arguments[]) { return execute_found(name, arguments, own_environment()); }

int execl(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const size_t count = count_arguments(list);
  char** arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  collect_arguments(first, list, count, arguments);
  va_end(list);
  return execute_path(path, arguments, own_environment());
}
int execlp(const char* name, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const size_t count = count_arguments(list);
  char** arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  collect_arguments(first, list, count, arguments);
  va_end(list);
  return execute_found(name, arguments, own_environment());
}
int execle(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const size_t count = count_arguments(list);
  char** arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  collect_arguments(first, list, count, arguments);
  char** variables = va_arg(list, char**);
  va_end(list);
  return execute_path(path, arguments, variables);
}

int execveat(int folder, const char* path, char* const arguments[], char* const variables[], int flags) {
  return execute([&] {
    return with_environment(folder == AT_FDCWD || path[0] == '/' ? path : nullptr, false, variables, [&](Strings all) {
      return fail_with(call(SYS_execveat, folder, as_long(path), as_long(arguments), as_long(all), flags));
    });
  });
}
int fexecve(int fd, char* const arguments[], char* const variables[]) {
  return execveat(fd, "", arguments, variables, 0x1000 /* AT_EMPTY_PATH */);
}

int posix_spawn(pid_t* pid, const char* path, const void* actions, const void* attributes, char* const arguments[],
                char* const variables[]) {
  auto* real = next<int(pid_t*, const char*, const void*, const void*, Strings, Strings)>("posix_spawn");
  if (real == nullptr) return ENOSYS;
  return with_environment(path, false, variables,
                          [&](Strings all) { return real(pid, path, actions, attributes, arguments, all); });
}
int posix_spawnp(pid_t* pid, const char* name, const void* actions, const void* attributes, char* const arguments[],
                 char* const variables[]) {
  auto* real = next<int(pid_t*, const char*, const void*, const void*, Strings, Strings)>("posix_spawnp");
  if (real == nullptr) return ENOSYS;
  return with_environment(name, true, variables,
                          [&](Strings all) { return real(pid, name, actions, attributes, arguments, all); });
}

int system(const char* command) {
  auto* real = next<int(const char*)>("system");
  if (real == nullptr) return -1;
  return with_own_environment([&] { return real(command); });
}
FILE* popen(const char* command, const char* mode) {
  auto* real = next<FILE*(const char*, const char*)>("popen");
  if (real == nullptr) return nullptr;
  return with_own_environment([&] { return real(command, mode); });
}

#pragma GCC visibility pop
}
