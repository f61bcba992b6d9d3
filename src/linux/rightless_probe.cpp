// SPDX-License-Identifier: Apache-2.0
#include "linux/rightless_probe.h"

#include <elf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>

#include "base/unique_fd.h"
#include "linux/deadly_filter.h"
#include "linux/remote_memory.h"

namespace atys::linux {

namespace {

const uint64_t kWord = 0x6174797361747973;

Attempt failed() { return {errno, {}}; }

int wait_for(pid_t child, int options = 0) {
  int status = 0;
  while (::waitpid(child, &status, options) < 0)
    if (errno != EINTR) return -1;
  return status;
}

// What a child finds out and gives back as its exit status: an errno, or 0.
Attempt ask_child(const std::function<int(pid_t parent)>& question) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return failed();
  if (child == 0) ::_exit(question(parent) & 0xff);
  const int status = wait_for(child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : EIO, {}};
}

// Does nothing until it goes with this object.
class IdleChild {
 public:
  IdleChild() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) ::pause();
  }
  IdleChild(const IdleChild&) = delete;
  IdleChild& operator=(const IdleChild&) = delete;
  ~IdleChild() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait_for(pid_);
  }

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

Attempt read_registers(pid_t stopped) {
  uint64_t registers[64];  // more than any has
  iovec into{registers, sizeof registers};
  return ::ptrace(PTRACE_GETREGSET, stopped, NT_PRSTATUS, &into) == 0 ? Attempt{} : failed();
}

}  // namespace

// A child reads a word of us. The other way round would prove little: Yama lets everybody read its own children.
Attempt try_memory() {
  return ask_child([](pid_t parent) {
    uint64_t word = 0;
    const iovec local{&word, sizeof word};
    const iovec remote{const_cast<uint64_t*>(&kWord), sizeof kWord};
    const ssize_t got = read_vectors(parent, {&local, 1}, {&remote, 1});
    return got < 0 ? errno : word == kWord ? 0 : EIO;
  });
}

Attempt try_memory_file() {
  return ask_child([](pid_t parent) {
    uint64_t word = 0;
    errno = 0;
    MemoryFile(parent).read(reinterpret_cast<uint64_t>(&kWord), std::as_writable_bytes(std::span(&word, 1)));
    return word == kWord ? 0 : errno != 0 ? errno : EIO;
  });
}

Attempt try_child_memory() {
  const IdleChild child;
  if (child.pid() < 0) return failed();
  uint64_t word = 0;
  errno = 0;
  read_remote_memory(child.pid(), reinterpret_cast<uint64_t>(&kWord), std::as_writable_bytes(std::span(&word, 1)));
  return word == kWord ? Attempt{} : Attempt{errno != 0 ? errno : EIO, {}};
}

Attempt try_stop() {
  if (!is_survivable(SystemCall::Ptrace)) return {EPERM, {}};
  const IdleChild child;
  if (child.pid() < 0 || ::ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr) != 0) return failed();
  if (::ptrace(PTRACE_INTERRUPT, child.pid(), nullptr, nullptr) != 0) return failed();
  if (!WIFSTOPPED(wait_for(child.pid(), __WALL))) return {EIO, {}};
  const Attempt attempt = read_registers(child.pid());
  ::ptrace(PTRACE_DETACH, child.pid(), nullptr, nullptr);
  return attempt;
}

// The signal is blocked, so that it waits for who asks for it.
Attempt try_signal() {
  if (!is_survivable(SystemCall::SignalThread)) return {EPERM, {}};
  const int number = SIGRTMAX;
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, number);
  ::pthread_sigmask(SIG_BLOCK, &one, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    siginfo_t got{};
    const timespec patience{5, 0};
    ::_exit(::sigtimedwait(&one, &got, &patience) == number && got.si_value.sival_int == 7 ? 0 : EIO);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return failed();
  siginfo_t sent{};
  sent.si_code = SI_QUEUE;
  sent.si_pid = ::getpid();
  sent.si_uid = ::getuid();
  sent.si_value.sival_int = 7;
  const int error = ::syscall(SYS_rt_tgsigqueueinfo, child, child, number, &sent) == 0 ? 0 : errno;
  if (error != 0) ::kill(child, SIGKILL);
  const int status = wait_for(child);
  return {error != 0 ? error : WIFEXITED(status) ? WEXITSTATUS(status) : EIO, {}};
}

Attempt try_preload() {
  if (!is_survivable(SystemCall::MemfdCreate)) return {EPERM, {}};
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC, known since 6.3
  UniqueFd file(::memfd_create("atys-probe", MFD_CLOEXEC | kExecutable));
  if (!file.is_open() && errno == EINVAL) file = UniqueFd(::memfd_create("atys-probe", MFD_CLOEXEC));
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  if (!file.is_open() || ::ftruncate(file.get(), static_cast<off_t>(page)) != 0) return failed();
  void* const code = ::mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
  if (code == MAP_FAILED) return failed();
  ::munmap(code, page);
  return {};
}

}  // namespace atys::linux
