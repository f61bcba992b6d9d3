// SPDX-License-Identifier: Apache-2.0
#include "linux/perf_ring.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace atys::linux {

void PerfRing::Unmap::operator()(void* start) const { ::munmap(start, bytes); }

PerfRing::PerfRing(void* start, size_t bytes, size_t page, int fd)
    : memory_(start, Unmap{bytes}), data_(static_cast<const std::byte*>(start) + page), data_bytes_(bytes - page), fd_(fd) {}

Result<PerfRing> PerfRing::map(int event_fd, size_t pages) {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t bytes = (pages + 1) * page;
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event_fd, 0);
  if (start == MAP_FAILED) {
    if (errno == EPERM)
      return fail(ErrorCode::ResourceExhausted, "map the ring of a perf event: over the memory that users may lock",
                  "raise it: sysctl -w kernel.perf_event_mlock_kb=4096");
    return fail_errno("map the ring of a perf event");
  }
  return PerfRing(start, bytes, page, event_fd);
}

Result<> PerfRing::redirect(int event_fd) const {
  if (::ioctl(event_fd, PERF_EVENT_IOC_SET_OUTPUT, fd_) != 0) return fail_errno("send an event to another ring");
  return {};
}

bool PerfRing::is_empty() const { return __atomic_load_n(&header()->data_head, __ATOMIC_ACQUIRE) == header()->data_tail; }

std::span<const std::byte> PerfRing::contiguous(uint64_t at, size_t size) {
  const size_t begin = at % data_bytes_;
  const size_t first = std::min(size, data_bytes_ - begin);
  if (first == size) return {data_ + begin, size};
  joined_.resize(size);
  std::memcpy(joined_.data(), data_ + begin, first);
  std::memcpy(joined_.data() + first, data_, size - first);
  return joined_;
}

void PerfRing::drain(const std::function<void(std::span<const std::byte>)>& take) {
  const uint64_t head = __atomic_load_n(&header()->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = header()->data_tail;
  while (head - tail >= sizeof(perf_event_header)) {
    perf_event_header record{};
    const auto front = contiguous(tail, sizeof(record));
    std::memcpy(&record, front.data(), sizeof(record));
    if (record.size < sizeof(record) || record.size > std::min<uint64_t>(head - tail, data_bytes_)) break;
    take(contiguous(tail, record.size));
    tail += record.size;
  }
  __atomic_store_n(&header()->data_tail, head, __ATOMIC_RELEASE);
}

}  // namespace atys::linux
