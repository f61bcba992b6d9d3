// SPDX-License-Identifier: Apache-2.0
// Rings as the Linux kernel writes them, in memory of our own in the place of an event's.
#include "linux/perf_ring.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace atys::linux {
namespace {

constexpr size_t kPages = 2;

class RingInMemory : public testing::Test {
 protected:
  void SetUp() override {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    bytes_ = kPages * page;
    file_.reset(::memfd_create("ring", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(file_.get(), static_cast<off_t>(bytes_ + page)), 0);
    void* start = ::mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    ASSERT_NE(start, MAP_FAILED);
    header_ = static_cast<perf_event_mmap_page*>(start);
    data_ = static_cast<std::byte*>(start) + page;
    auto ring = PerfRing::map(file_.get(), kPages);
    ASSERT_TRUE(ring.ok());
    ring_.emplace(ring.take());
  }
  // As the kernel does; `size` is what the record says that it has.
  void write(const std::string& payload, size_t size) {
    const perf_event_header head{.type = 1, .misc = 0, .size = static_cast<uint16_t>(size)};
    put(std::string(reinterpret_cast<const char*>(&head), sizeof head) + payload);
  }
  void write(const std::string& payload) { write(payload, payload.size() + sizeof(perf_event_header)); }
  void put(const std::string& bytes) {
    for (const char byte : bytes) data_[header_->data_head++ % bytes_] = static_cast<std::byte>(byte);
  }
  // What the records hold, each in brackets.
  std::string drained() {
    std::string all;
    ring_->drain([&](std::span<const std::byte> record) {
      const auto payload = record.subspan(sizeof(perf_event_header));
      all += "[" + std::string(reinterpret_cast<const char*>(payload.data()), payload.size()) + "]";
    });
    return all;
  }

  size_t bytes_ = 0;
  UniqueFd file_;
  perf_event_mmap_page* header_ = nullptr;
  std::byte* data_ = nullptr;
  std::optional<PerfRing> ring_;
};

TEST_F(RingInMemory, hands_over_records_once_and_in_their_order) {
  EXPECT_TRUE(ring_->is_empty());
  write("first 12");
  write("second 1");
  EXPECT_FALSE(ring_->is_empty());
  EXPECT_EQ(drained(), "[first 12][second 1]");
  EXPECT_TRUE(ring_->is_empty());
  EXPECT_EQ(drained(), "");
  write("third123");
  EXPECT_EQ(drained(), "[third123]");
}

TEST_F(RingInMemory, joins_a_record_that_goes_around_the_end) {
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    const std::string payload = std::string(96, static_cast<char>('a' + i % 26));
    write(payload);
    ASSERT_EQ(drained(), "[" + payload + "]") << i;
  }
}

TEST_F(RingInMemory, holds_a_record_as_large_as_itself) {
  put(std::string(24, '\0'));
  header_->data_tail = header_->data_head;
  const std::string payload(bytes_ - sizeof(perf_event_header), 'x');
  write(payload);
  EXPECT_EQ(drained(), "[" + payload + "]");
}

TEST_F(RingInMemory, passes_over_what_lies_about_its_size) {
  for (const size_t lie : {size_t{0}, size_t{7}, size_t{24}, bytes_ + 8}) {
    write("whole123");
    write("lies1234", lie);
    EXPECT_EQ(drained(), "[whole123]") << lie;
    EXPECT_TRUE(ring_->is_empty()) << lie;
    write("after123");
    EXPECT_EQ(drained(), "[after123]") << lie;
  }
}

TEST_F(RingInMemory, takes_no_more_than_there_can_be) {
  header_->data_head = header_->data_tail + 40 * bytes_;
  EXPECT_EQ(drained(), "");
  write("after123");
  EXPECT_EQ(drained(), "[after123]");
}

}  // namespace
}  // namespace atys::linux
