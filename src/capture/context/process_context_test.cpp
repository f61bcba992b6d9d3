// SPDX-License-Identifier: Apache-2.0
#include "capture/context/process_context.h"

#include <gtest/gtest.h>

#include "format/wire/wire_writer.h"
#include "support/fake_memory.h"

namespace atys::capture {
namespace {

constexpr uint64_t kPage = 0x10000;
constexpr uint64_t kPayload = 0x20000;

std::string message(const std::function<void(format::WireWriter&)>& write) {
  std::string bytes;
  format::WireWriter writer(bytes);
  write(writer);
  return bytes;
}

std::string text_value(std::string_view text) {
  return message([&](auto& value) { value.always_bytes(1, text); });
}

std::string pair(std::string_view key, const std::string& value) {
  return message([&](auto& pair) {
    pair.bytes(1, key);
    pair.always_bytes(2, value);
  });
}

std::string payload() {
  const std::string keys = message([](auto& array) {
    for (const char* key : {"http.route", "user.tier"}) array.always_bytes(1, text_value(key));
  });
  return message([&](auto& context) {
    context.always_bytes(
        1, message([](auto& resource) { resource.always_bytes(1, pair("service.name", text_value("orders"))); }));
    context.always_bytes(2, pair("threadlocal.schema_version", text_value("tlsdesc_v1_dev")));
    context.always_bytes(2,
                         pair("threadlocal.attribute_key_map", message([&](auto& value) { value.always_bytes(5, keys); })));
  });
}

class ProcessContextTest : public testing::Test {
 protected:
  ProcessContextTest() {
    memory_.map(kPage, 4096);
    memory_.map(kPayload, 4096);
    memory_.put_bytes(kPage, "OTEL_CTX");
    memory_.put<uint32_t>(kPage + 8, 2);
    memory_.put<uint32_t>(kPage + 12, static_cast<uint32_t>(payload().size()));
    memory_.put<uint64_t>(kPage + 16, 12345);
    memory_.put<uint64_t>(kPage + 24, kPayload);
    memory_.put_bytes(kPayload, payload());
  }
  std::optional<ProcessContext> read(const std::string& path = "/memfd:OTEL_CTX") {
    const linux::MappedRange range{.start = kPage, .end = kPage + 4096, .path = path};
    return read_process_context({&range, 1}, memory_);
  }

  test::FakeMemory memory_;
};

TEST_F(ProcessContextTest, says_what_the_process_is_and_how_its_threads_publish) {
  for (const char* path : {"/memfd:OTEL_CTX", "[anon_shmem:OTEL_CTX]", "[anon:OTEL_CTX]"}) {
    const auto context = read(path);
    ASSERT_TRUE(context) << path;
    EXPECT_EQ(context->published_at_ns, 12345u);
    EXPECT_EQ(context->resource.at("service.name"), "orders");
    EXPECT_EQ(context->thread_schema, "tlsdesc_v1_dev");
    EXPECT_EQ(context->thread_keys, (std::vector<std::string>{"http.route", "user.tier"}));
  }
}

TEST_F(ProcessContextTest, is_none_while_it_is_written_or_of_another_kind) {
  EXPECT_FALSE(read("/memfd:OTHER"));
  memory_.put<uint64_t>(kPage + 16, 0);
  EXPECT_FALSE(read());
  memory_.put<uint64_t>(kPage + 16, 1);
  memory_.put<uint32_t>(kPage + 8, 3);
  EXPECT_FALSE(read());
  memory_.put<uint32_t>(kPage + 8, 2);
  memory_.put_bytes(kPage, "OTEL_XXX");
  EXPECT_FALSE(read());
}

TEST_F(ProcessContextTest, is_read_again_when_it_changed_meanwhile) {
  int changes = 1;
  memory_.after_read = [&](uint64_t address) {
    if (address == kPayload && changes-- > 0) memory_.put<uint64_t>(kPage + 16, 777);
  };
  const auto context = read();
  ASSERT_TRUE(context);
  EXPECT_EQ(context->published_at_ns, 777u);
  memory_.after_read = [&, next = uint64_t{1000}](uint64_t address) mutable {
    if (address == kPayload) memory_.put<uint64_t>(kPage + 16, ++next);
  };
  EXPECT_FALSE(read()) << "one that never stands still";
}

TEST_F(ProcessContextTest, is_bounded_whatever_it_says) {
  memory_.put<uint32_t>(kPage + 12, 1 << 30);
  EXPECT_FALSE(read());
  memory_.put<uint32_t>(kPage + 12, 60000);  // more than is mapped
  EXPECT_FALSE(read());
  memory_.put<uint32_t>(kPage + 12, 100);
  memory_.put<uint64_t>(kPage + 24, 0xdead0000);
  EXPECT_FALSE(read());
  EXPECT_FALSE(parse_process_context("\x0a\xff\x01").ok());
}

}  // namespace
}  // namespace atys::capture
