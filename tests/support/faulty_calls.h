// SPDX-License-Identifier: Apache-2.0
// Files on a disk that fails: the n-th call is refused, or that and all after it.
#pragma once

#include <cerrno>

#include "base/durable_file.h"

namespace atys::test {

class FaultyCalls final : public FileCalls {
 public:
  // Counts from 1, beginning now. 0: none fails.
  void arm(uint64_t nth, bool goes_on, int error) {
    count_ = 0;
    nth_ = nth;
    goes_on_ = goes_on;
    error_ = error;
  }
  bool was_hit() const { return nth_ != 0 && count_ >= nth_; }

  int open(const std::string& path, int flags, mode_t mode) override {
    return fails() ? -1 : FileCalls::open(path, flags, mode);
  }
  ssize_t write(int fd, std::string_view bytes) override {
    if (!fails()) return FileCalls::write(fd, bytes);
    (void)FileCalls::write(fd, bytes.substr(0, bytes.size() / 2));  // torn
    errno = error_;
    return -1;
  }
  int fsync(int fd) override { return fails() ? -1 : FileCalls::fsync(fd); }
  int rename(const std::string& from, const std::string& to) override { return fails() ? -1 : FileCalls::rename(from, to); }
  int unlink(const std::string& path) override { return fails() ? -1 : FileCalls::unlink(path); }

 private:
  bool fails() {
    ++count_;
    const bool it_fails = nth_ != 0 && (count_ == nth_ || (goes_on_ && count_ > nth_));
    if (it_fails) errno = error_;
    return it_fails;
  }

  uint64_t count_ = 0, nth_ = 0;
  bool goes_on_ = false;
  int error_ = 0;
};

}  // namespace atys::test
