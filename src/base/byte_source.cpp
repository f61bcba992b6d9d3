// SPDX-License-Identifier: Apache-2.0
#include "base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace atys {

namespace {

constexpr size_t kReadChunk = size_t{1} << 20;

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, UniqueFd fd, size_t size_hint)
      : ByteSource(std::move(name)), fd_(std::move(fd)), size_hint_(size_hint) {}

 private:
  Result<size_t> fill(std::span<std::byte> buffer) override {
    for (;;) {
      const ssize_t count = ::read(fd_.get(), buffer.data(), buffer.size());
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) return fail_errno("cannot read " + name());
    }
  }
  size_t size_hint() const override { return size_hint_; }

  UniqueFd fd_;
  size_t size_hint_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::span<const std::byte> bytes) : ByteSource(std::move(name)), bytes_(bytes) {}
  MemorySource(std::string name, Bytes bytes) : ByteSource(std::move(name)), owned_(std::move(bytes)), bytes_(owned_) {}

  Result<std::span<const std::byte>> peek(size_t count) override { return bytes_.first(std::min(count, bytes_.size())); }

  Result<std::span<const std::byte>> read_all(size_t limit) override {
    if (bytes_.size() > limit) return fail(ErrorCode::ResourceExhausted, name() + ": larger than the limit");
    return std::exchange(bytes_, {});
  }

 private:
  Result<size_t> fill(std::span<std::byte> buffer) override {
    const size_t count = std::min(buffer.size(), bytes_.size());
    if (count > 0) std::memcpy(buffer.data(), bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return count;
  }

  Bytes owned_;
  std::span<const std::byte> bytes_;
};

}  // namespace

Result<std::span<const std::byte>> ByteSource::peek(size_t count) {
  while (held_.size() - held_used_ < count) {
    const size_t before = held_.size();
    held_.resize(held_used_ + count);
    auto got = fill(std::span(held_).subspan(before));
    held_.resize(before + (got.ok() ? *got : 0));
    if (!got.ok()) return got.error();
    if (*got == 0) break;
  }
  return std::span<const std::byte>(held_).subspan(held_used_, std::min(count, held_.size() - held_used_));
}

Result<size_t> ByteSource::read(std::span<std::byte> buffer) {
  const size_t waiting = held_.size() - held_used_;
  if (waiting == 0) return fill(buffer);
  const size_t count = std::min(waiting, buffer.size());
  std::memcpy(buffer.data(), held_.data() + held_used_, count);
  held_used_ += count;
  return count;
}

Result<std::span<const std::byte>> ByteSource::read_all(size_t limit) {
  held_.reserve(std::min(limit, size_hint()) + 1);  // one more, so that the read that finds the end needs no growth
  for (;;) {
    if (held_.size() - held_used_ > limit) {
      return fail(ErrorCode::ResourceExhausted, name() + ": larger than the limit of " + std::to_string(limit) + " bytes");
    }
    const size_t before = held_.size();
    held_.resize(std::max(held_.capacity(), before + kReadChunk));
    auto got = fill(std::span(held_).subspan(before));
    held_.resize(before + (got.ok() ? *got : 0));
    if (!got.ok()) return got.error();
    if (*got == 0) break;
  }
  return std::span<const std::byte>(held_).subspan(std::exchange(held_used_, held_.size()));
}

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  if (path == "-") return std::unique_ptr<ByteSource>(std::make_unique<FileSource>("standard input", UniqueFd(::dup(0)), 0));
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return fail_errno("cannot open " + path);
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail_errno("cannot stat " + path);
  if (S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::InvalidInput, "cannot read " + path + ": it is a folder", "name a profile file in it");
  }
  const size_t hint = S_ISREG(status.st_mode) ? static_cast<size_t>(status.st_size) : 0;
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(path, std::move(fd), hint));
}

std::unique_ptr<ByteSource> borrow_source(std::string name, std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

std::unique_ptr<ByteSource> own_source(std::string name, Bytes bytes) {
  return std::make_unique<MemorySource>(std::move(name), std::move(bytes));
}

}  // namespace atys
