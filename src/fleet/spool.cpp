// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <memory>

#include "base/byte_source.h"
#include "base/gzip.h"
#include "base/unique_fd.h"

namespace atys::fleet {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".otlp.gz";
constexpr int kLevel = 1;  // most files are read back at once; 6 takes two to three times as long for 10 % less

// "000000000042.otlp.gz" → 42
std::optional<uint64_t> number_in(const std::string& name) {
  if (!name.ends_with(kSuffix)) return std::nullopt;
  uint64_t number = 0;
  const char* end = name.data() + name.size() - kSuffix.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

Result<std::string> read_whole(const std::string& path) {
  const std::unique_ptr<ByteSource> source = TRY(open_source(path));
  const Bytes bytes = TRY(gunzip(TRY(source->read_all())));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<> write_whole(const std::string& path, const std::string& bytes) {
  const std::string making = path + ".part";
  {
    const UniqueFd fd(::open(making.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.is_open()) return fail_errno("writing " + making);
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
      if (count <= 0) return fail_errno("writing " + making);
      done += static_cast<size_t>(count);
    }
  }
  if (::rename(making.c_str(), path.c_str()) != 0) return fail_errno("writing " + path);
  return {};
}

}  // namespace

struct Spool::Books {
  std::map<uint64_t, uint64_t> files;  // number → bytes
  uint64_t next = 1;
  State state;
};

Spool::Spool(std::string folder, uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes), books_(std::make_shared<Guarded<Books>>()) {}
Spool::Spool(Spool&&) noexcept = default;

namespace {

std::string file_name(uint64_t number) { return fmt::format("{:012}{}", number, kSuffix); }

}  // namespace

Result<Spool> Spool::open(std::string folder, uint64_t most_bytes) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return fail(ErrorCode::PermissionDenied, fmt::format("cannot make {}: {}", folder, error.message()),
                "say another folder with --data");
  Spool spool(std::move(folder), most_bytes);
  const auto books = spool.books_->lock();
  for (const auto& entry : fs::directory_iterator(spool.folder_, error)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (name.ends_with(".part")) fs::remove(entry.path(), ignored);
    const std::optional<uint64_t> number = number_in(name);
    if (!number || !entry.is_regular_file(ignored)) continue;
    const uint64_t bytes = entry.file_size(ignored);
    books->files[*number] = bytes;
    books->state.bytes += bytes;
    books->next = std::max(books->next, *number + 1);
  }
  spool.make_room(*books, 0);
  return spool;
}

void Spool::make_room(Books& books, uint64_t bytes) {
  while (!books.files.empty() && books.state.bytes + bytes > most_bytes_) {
    const auto oldest = books.files.begin();
    std::error_code ignored;
    fs::remove(fs::path(folder_) / file_name(oldest->first), ignored);
    books.state.bytes -= oldest->second;
    ++books.state.dropped;
    books.files.erase(oldest);
  }
}

void Spool::put(const std::string& window) {
  const std::string packed = gzip(window, kLevel);
  const auto books = books_->lock();
  make_room(*books, packed.size());
  const uint64_t number = books->next++;
  if (packed.size() > most_bytes_ || !write_whole((fs::path(folder_) / file_name(number)).string(), packed).ok()) {
    ++books->state.dropped;
    return;
  }
  books->files[number] = packed.size();
  books->state.bytes += packed.size();
}

void Spool::count_dropped() { ++books_->lock()->state.dropped; }

std::optional<Spool::Entry> Spool::oldest() {
  while (true) {
    std::string name;
    {
      const auto books = books_->lock();
      if (books->files.empty()) return std::nullopt;
      name = file_name(books->files.begin()->first);
    }
    // Without the lock: a disk may be slow, and whoever records must not wait for it.
    if (Result<std::string> window = read_whole((fs::path(folder_) / name).string()); window.ok())
      return Entry{name, window.take()};
    remove(name, false);
  }
}

void Spool::remove(const std::string& name, bool has_arrived) {
  const auto books = books_->lock();
  const std::optional<uint64_t> number = number_in(name);
  const auto found = number ? books->files.find(*number) : books->files.end();
  if (found == books->files.end()) return;  // there was no room for it meanwhile
  std::error_code ignored;
  fs::remove(fs::path(folder_) / name, ignored);
  books->state.bytes -= found->second;
  books->files.erase(found);
  ++(has_arrived ? books->state.sent : books->state.dropped);
}

Spool::State Spool::state() const {
  const auto books = books_->lock();
  State state = books->state;
  state.windows = books->files.size();
  return state;
}

}  // namespace atys::fleet
