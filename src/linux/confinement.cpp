// SPDX-License-Identifier: Apache-2.0
#include "linux/confinement.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

#include "base/strings.h"

namespace atys::linux {

namespace {

constexpr uint64_t kForProgramText = uint64_t{1} << 30;  // of address space, besides data: our own libraries
constexpr uid_t kNobody = 65534;

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#endif

bool limit(__rlimit_resource what, uint64_t most) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return false;
  const rlim_t wanted = now.rlim_max == RLIM_INFINITY || now.rlim_max > most ? most : now.rlim_max;
  const rlimit both{wanted, wanted};
  return ::setrlimit(what, &both) == 0;
}

bool drop_capabilities() {
  for (int capability = 0; capability <= 63; ++capability)
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

bool become_another_user() {
  if (::geteuid() != 0) return true;
  (void)::setgroups(0, nullptr);
  return ::setresgid(kNobody, kNobody, kNobody) == 0 && ::setresuid(kNobody, kNobody, kNobody) == 0;
}

// What stays allowed: memory that is no code, reading of open files, talking over open sockets, and coming to an end.
constexpr int kAllowed[] = {
    SYS_read,          SYS_pread64,         SYS_readv,           SYS_write,       SYS_sendmsg,      SYS_recvmsg,
    SYS_lseek,         SYS_fstat,           SYS_close,           SYS_dup,         SYS_fcntl,        SYS_brk,
    SYS_munmap,        SYS_mremap,          SYS_madvise,         SYS_futex,       SYS_rt_sigreturn, SYS_rt_sigprocmask,
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_getrandom,       SYS_exit,        SYS_exit_group,   SYS_getpid,
    SYS_gettid,        SYS_setitimer,       SYS_restart_syscall, SYS_sched_yield, SYS_sysinfo,
#if defined(SYS_poll)
    SYS_poll,
#endif
    SYS_ppoll,
};

sock_filter statement(uint16_t code, uint32_t value) { return {code, 0, 0, value}; }
sock_filter jump(uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
  return {code, if_true, if_false, value};
}

constexpr uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
constexpr uint16_t kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
constexpr uint16_t kIfBits = BPF_JMP | BPF_JSET | BPF_K;
constexpr uint16_t kReturn = BPF_RET | BPF_K;
constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

// A call whose argument must not have any of `bits`, else it is refused.
void add_without_bits(std::vector<sock_filter>& program, int call, size_t argument, uint32_t bits) {
  const auto offset = static_cast<uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(uint64_t));
  program.push_back(jump(kIfEqual, static_cast<uint32_t>(call), 0, 4));
  program.push_back(statement(kLoad, offset));
  program.push_back(jump(kIfBits, bits, 1, 0));
  program.push_back(statement(kReturn, SECCOMP_RET_ALLOW));
  program.push_back(statement(kReturn, kRefuse));
}

std::vector<sock_filter> make_filter() {
  std::vector<sock_filter> program;
  program.push_back(statement(kLoad, offsetof(seccomp_data, arch)));
  program.push_back(jump(kIfEqual, kMachine, 1, 0));
  program.push_back(statement(kReturn, SECCOMP_RET_KILL_PROCESS));
  program.push_back(statement(kLoad, offsetof(seccomp_data, nr)));
  for (const int call : kAllowed) {
    program.push_back(jump(kIfEqual, static_cast<uint32_t>(call), 0, 1));
    program.push_back(statement(kReturn, SECCOMP_RET_ALLOW));
  }
  add_without_bits(program, SYS_mmap, 2, PROT_EXEC);
  add_without_bits(program, SYS_mprotect, 2, PROT_EXEC);
  // fstat() of some C libraries; of a path it tells no more than that there is one.
  program.push_back(jump(kIfEqual, SYS_newfstatat, 0, 1));
  program.push_back(statement(kReturn, SECCOMP_RET_ALLOW));
  program.push_back(statement(kReturn, kRefuse));
  return program;
}

bool filter_system_calls() {
  std::vector<sock_filter> program = make_filter();
  const sock_fprog filter{static_cast<uint16_t>(program.size()), program.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace

uint8_t Walls::bits() const {
  return static_cast<uint8_t>((memory ? 1 : 0) | (no_rights ? 2 : 0) | (another_user ? 4 : 0) | (system_calls ? 8 : 0));
}

Walls Walls::of_bits(uint8_t bits) { return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0}; }

std::string Walls::missing() const {
  std::string text;
  const auto add = [&](bool stands, const char* name) {
    if (!stands) add_to_list(text, name);
  };
  add(memory, "the memory limit");
  add(no_rights, "the loss of capabilities");
  add(another_user, "the change of user");
  add(system_calls, "the system-call filter");
  return text;
}

// The user changes before the capabilities go, which that needs; the filter is last, as it refuses all of this.
Walls confine(uint64_t most_bytes) {
  Walls walls;
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  (void)limit(RLIMIT_CORE, 0);
  (void)limit(RLIMIT_FSIZE, 0);
  (void)limit(RLIMIT_NPROC, 0);
  walls.memory = limit(RLIMIT_DATA, most_bytes) && limit(RLIMIT_AS, most_bytes + kForProgramText);
  walls.another_user = become_another_user();
  const bool is_without_capabilities = drop_capabilities();
  walls.no_rights = is_without_capabilities && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // changing the user may have set it again
  walls.system_calls = filter_system_calls();
  return walls;
}

}  // namespace atys::linux
