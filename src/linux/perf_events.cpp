// SPDX-License-Identifier: Apache-2.0
#include "linux/perf_events.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "linux/proc_file.h"

namespace atys::linux {

namespace {

Error explain(int error, const std::string& what, PerfPlace place) {
  const std::string failed = "open " + what + ": " + std::strerror(error);
  switch (error) {
    case EACCES:
    case EPERM: {
      const std::string paranoid = std::to_string(perf_event_paranoid());
      return fail(ErrorCode::PermissionDenied, failed + " (perf_event_paranoid is " + paranoid + ")",
                  place.pid < 0
                      ? "run as root, give the program CAP_PERFMON (setcap cap_perfmon,cap_bpf=ep FILE), or allow it: "
                        "sysctl -w kernel.perf_event_paranoid=-1"
                      : "profile a process of your own and allow it: sysctl -w kernel.perf_event_paranoid=1; or run as "
                        "root or with CAP_PERFMON");
    }
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return fail(
          ErrorCode::Unsupported, failed,
          "this machine has no such event (virtual machines often have no hardware counters); atys doctor lists what works");
    case EMFILE: return fail(ErrorCode::ResourceExhausted, failed, "raise the limit on open files: ulimit -n 65536");
    case ESRCH: return fail(ErrorCode::NotFound, failed, "the process or thread has ended");
    case EBUSY: return fail(ErrorCode::Unavailable, failed, "another tool holds the counter exclusively");
    case ENOSYS:
      return fail(ErrorCode::Unsupported, failed,
                  "the kernel, or a seccomp filter around this process, has no perf_event_open");
    default: return fail(ErrorCode::Internal, failed);
  }
}

}  // namespace

PerfAttributes cpu_clock_attributes(uint64_t period_ns) {
  PerfAttributes attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.sample_period = period_ns;
  attributes.exclude_idle = 1;
  attributes.disabled = 1;
  return attributes;
}

Result<UniqueFd> open_perf_event(const PerfAttributes& attributes, PerfPlace place, const std::string& what) {
  PerfAttributes copy = attributes;
  copy.size = sizeof(copy);
  const long fd = ::syscall(SYS_perf_event_open, &copy, place.pid, place.cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return explain(errno, what, place);
  return UniqueFd(static_cast<int>(fd));
}

Result<> enable_perf_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) return fail_errno("enable a perf event");
  return {};
}

Result<> disable_perf_event(int fd) {
  if (::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) != 0) return fail_errno("disable a perf event");
  return {};
}

Result<> set_perf_period(int fd, uint64_t period) {
  if (::ioctl(fd, PERF_EVENT_IOC_PERIOD, &period) != 0) return fail_errno("change the period of a perf event");
  return {};
}

PerfCount& PerfCount::operator+=(const PerfCount& other) {
  count += other.count;
  enabled_ns += other.enabled_ns;
  running_ns += other.running_ns;
  return *this;
}

Result<PerfCount> read_perf_count(int fd) {
  PerfCount read;
  static_assert(sizeof(read) == 3 * sizeof(uint64_t), "as the kernel writes it");
  if (::read(fd, &read, sizeof(read)) != static_cast<ssize_t>(sizeof(read))) return fail_errno("read a perf event");
  return read;
}

int perf_event_paranoid() {
  const auto text = read_proc_file("/proc/sys/kernel/perf_event_paranoid", 64);
  return text.ok() ? std::atoi(text->c_str()) : 2;
}

}  // namespace atys::linux
