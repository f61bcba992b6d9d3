// SPDX-License-Identifier: Apache-2.0
// Begins with the program: finds the memory that is shared with Atys, takes our words out of the environment, and listens.
#include "capture/preload/library/library.h"

extern "C" {
extern char** environ __attribute__((weak));
const char* gnu_get_libc_version() __attribute__((weak));
int __register_atfork(void (*)(), void (*)(), void (*)(), void*) __attribute__((weak));
int pthread_atfork(void (*)(), void (*)(), void (*)()) __attribute__((weak));
}

namespace atys::preload {

Library library;

namespace {

constexpr size_t kLongestPath = 128;
char kept_path[kLongestPath];
char kept_shared_path[kLongestPath];

bool keep(char* into, const char* from) {
  const size_t length = length_of(from);
  if (length >= kLongestPath) return false;
  copy_bytes(into, from, length + 1);
  return true;
}

void remove_at(char** variables, size_t at) {
  do variables[at] = variables[at + 1];
  while (variables[at++] != nullptr);
}

// Who looks at the memory where it was sees nothing either.
void wipe(char* text) {
  for (; *text != 0; ++text) *text = 0;
}

// We are the last that is to be loaded: what is before us was there without us.
bool take_out_preload(char** variables, size_t at) {
  char* list = variables[at] + sizeof kPreloadVariable - 1;
  char* ours = list;
  for (char* c = list; *c != 0; ++c)
    if (*c == ':') ours = c + 1;
  if (!keep(kept_path, ours)) return false;
  wipe(ours);
  if (ours > list) {
    ours[-1] = 0;
    return false;
  }
  wipe(variables[at]);
  remove_at(variables, at);
  return true;
}

void take_out_variables(char** variables) {
  for (size_t i = 0; variables[i] != nullptr;) {
    if (begins_with(variables[i], kSharedVariable)) {
      keep(kept_shared_path, variables[i] + sizeof kSharedVariable - 1);
      wipe(variables[i]);
      remove_at(variables, i);
    } else if (begins_with(variables[i], kPreloadVariable) && take_out_preload(variables, i)) {
      continue;
    } else {
      ++i;
    }
  }
}

Shared* map_shared() {
  const int fd = open_file(kept_shared_path, O_RDWR);
  if (fd < 0) return nullptr;
  const long at = call(SYS_mmap, 0, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close_file(fd);
  if (at < 0 && at > -4096) return nullptr;
  auto* shared = reinterpret_cast<Shared*>(at);
  return shared->magic == kMagic ? shared : nullptr;
}

// After exec there is an entry already.
Process* register_process(Shared& shared, uint32_t pid) {
  Process* own = nullptr;
  for (Process& process : shared.processes)
    if (__atomic_load_n(&process.pid, __ATOMIC_ACQUIRE) == pid) own = &process;
  for (Process& process : shared.processes) {
    uint32_t free = 0;
    if (own == nullptr && __atomic_compare_exchange_n(&process.pid, &free, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      own = &process;
  }
  if (own == nullptr) return nullptr;
  __atomic_store_n(&own->signal, 0u, __ATOMIC_SEQ_CST);
  own->sent = own->handled = 0;
  __atomic_store_n(&own->life, __atomic_add_fetch(&shared.lives, 1, __ATOMIC_ACQ_REL), __ATOMIC_RELEASE);
  return own;
}

// A child that runs on in the same program.
void on_fork() {
  const int signal = library.signal;
  forget_shells();
  library.pid = own_process();
  library.process = register_process(*library.shared, library.pid);
  if (library.process != nullptr)
    __atomic_store_n(&library.process->signal, static_cast<uint32_t>(signal), __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) void start(int, char**, char** variables) {
  if (gnu_get_libc_version == nullptr) variables = &environ != nullptr ? environ : nullptr;  // others hand nothing over
  if (variables == nullptr) return;
  take_out_variables(variables);
  if (kept_shared_path[0] == 0 || kept_path[0] == 0) return;
  Shared* shared = map_shared();
  if (shared == nullptr || __atomic_load_n(&shared->is_over, __ATOMIC_ACQUIRE) != 0) return;
  library.path = kept_path;
  library.shared_path = kept_shared_path;
  library.pid = own_process();
  library.shared = shared;
  library.process = register_process(*shared, library.pid);
  remember_files();
  if (__register_atfork != nullptr)
    __register_atfork(nullptr, nullptr, on_fork, nullptr);
  else if (pthread_atfork != nullptr)
    pthread_atfork(nullptr, nullptr, on_fork);
  listen_to(kFirstSignal);
  tell_start();
}

}  // namespace

}  // namespace atys::preload
