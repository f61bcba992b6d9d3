// SPDX-License-Identifier: Apache-2.0
#include "base/byte_sink.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/descriptor_io.h"
#include "base/durable_file.h"
#include "base/replace_file.h"
#include "base/unique_fd.h"

namespace atys {

namespace {

Result<> write_fully(int fd, std::string_view bytes, const std::string& name) {
  if (!write_all(fd, bytes)) return fail_errno("cannot write " + name);
  return {};
}

// Pipes, terminals and devices: bytes go out as they come.
class StreamSink final : public ByteSink {
 public:
  StreamSink(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}
  Result<> write(std::string_view bytes) override { return write_fully(fd_.get(), bytes, name_); }

 private:
  std::string name_;
  UniqueFd fd_;
};

class ReplacingFileSink final : public ByteSink {
 public:
  ReplacingFileSink(std::string path, std::string temporary, UniqueFd fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}
  ~ReplacingFileSink() override {
    if (!committed_) ::unlink(temporary_.c_str());
  }

  Result<> write(std::string_view bytes) override { return write_fully(fd_.get(), bytes, path_); }

  Result<> commit() override {
    if (::fsync(fd_.get()) != 0) return fail_errno("cannot write " + path_);
    // close reports errors that some file systems only find out now.
    if (::close(fd_.release()) != 0) return fail_errno("cannot write " + path_);
    TRY(replace_file(temporary_, path_));
    committed_ = true;
    return sync_folder_of(path_);
  }

 private:
  std::string path_;
  std::string temporary_;
  UniqueFd fd_;
  bool committed_ = false;
};

mode_t mode_for(const struct stat* existing) {
  if (existing != nullptr) return existing->st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<> replace_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return fail_errno("cannot replace " + to);
  const std::string folder = std::filesystem::path(to).parent_path().string();
  const UniqueFd opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that may be written but not read, or whose file system knows no such thing: nothing is wrong with the file.
  if (opened.is_open() && ::fsync(opened.get()) != 0 && errno == EIO) return fail_errno("cannot write the folder of " + to);
  return {};
}

Result<std::unique_ptr<ByteSink>> open_sink(const std::string& path) {
  if (path == "-") return std::unique_ptr<ByteSink>(std::make_unique<StreamSink>("standard output", UniqueFd(::dup(1))));

  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::InvalidInput, "cannot write " + path + ": it is a folder", "name a file in it");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd.is_open()) return fail_errno("cannot open " + path);
    return std::unique_ptr<ByteSink>(std::make_unique<StreamSink>(path, std::move(fd)));
  }

  // Follow links now, so that the file behind a link is replaced and not the link itself.
  std::error_code ignored;
  const std::string target = exists ? std::filesystem::canonical(path, ignored).string() : path;
  std::string temporary = (target.empty() ? path : target) + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.is_open()) return fail_errno("cannot create a file beside " + path);
  if (::fchmod(fd.get(), mode_for(exists ? &status : nullptr)) != 0) {
    ::unlink(temporary.c_str());
    return fail_errno("cannot set the mode of " + path);
  }
  return std::unique_ptr<ByteSink>(
      std::make_unique<ReplacingFileSink>(target.empty() ? path : target, std::move(temporary), std::move(fd)));
}

}  // namespace atys
