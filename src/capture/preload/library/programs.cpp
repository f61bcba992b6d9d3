// SPDX-License-Identifier: Apache-2.0
// What the program starts: it gets the library too, where that works unnoticed. Nothing here allocates: a child that shares
// our memory may call it, and it may do so on a small stack.
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "capture/preload/elf_check.h"
#include "capture/preload/library/environment.h"
#include "capture/preload/library/library.h"

extern "C" {
extern char** environ __attribute__((weak));
int* __errno_location() __attribute__((weak));
}

namespace atys::preload {

namespace {

constexpr size_t kLongestPath = 16384;
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
    return (status.st_mode & (S_ISUID | S_ISGID)) != 0 || call(SYS_fgetxattr, fd_, as_long(kCapabilitiesOfFile), 0, 0) > 0;
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

// As execvp() looks for it.
bool works_for_found(const char* name) {
  const char* folders = &environ != nullptr ? value_in(environ, "PATH=") : nullptr;
  if (folders == nullptr) folders = "/bin:/usr/bin";
  const size_t name_length = length_of(name);
  const size_t room = length_of(folders) + name_length + 2;
  if (room > kLongestPath) return false;
  char* path = static_cast<char*>(__builtin_alloca(room));
  while (*folders != 0) {
    size_t length = 0;
    while (folders[length] != 0 && folders[length] != ':') ++length;
    copy_bytes(path, folders, length);
    path[length] = '/';
    copy_bytes(path + length + 1, name, name_length + 1);
    if (call(SYS_faccessat, AT_FDCWD, as_long(path), 1) == 0) return works_for(path);
    folders += length + (folders[length] == ':' ? 1 : 0);
  }
  return false;
}

bool is_path(const char* name) {
  for (; *name != 0; ++name)
    if (*name == '/') return true;
  return false;
}

}  // namespace

bool is_followed(const char* name, bool is_searched) {
  if (library.shared == nullptr || name == nullptr || __atomic_load_n(&library.shared->is_over, __ATOMIC_ACQUIRE) != 0)
    return false;
  if (!may_read(library.path) || !may_read(library.shared_path)) return false;  // another root, another user
  return is_searched && !is_path(name) ? works_for_found(name) : works_for(name);
}

namespace {

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

// As an array. What stands behind them in the list can still be had from it.
template <typename Run>
int with_arguments(const char* first, va_list& list, Run run) {
  const size_t count = first == nullptr ? 0 : count_arguments(list);
  char** arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  arguments[0] = const_cast<char*>(first);
  for (size_t i = 1; i <= count; ++i) arguments[i] = va_arg(list, char*);
  return run(arguments);
}

Strings own_environment() { return &environ != nullptr ? environ : nullptr; }

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
  const int result =
      with_arguments(first, list, [&](Strings arguments) { return execute_path(path, arguments, own_environment()); });
  va_end(list);
  return result;
}
int execlp(const char* name, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int result =
      with_arguments(first, list, [&](Strings arguments) { return execute_found(name, arguments, own_environment()); });
  va_end(list);
  return result;
}
int execle(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  const int result =
      with_arguments(first, list, [&](Strings arguments) { return execute_path(path, arguments, va_arg(list, char**)); });
  va_end(list);
  return result;
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

#pragma GCC visibility pop
}
