// SPDX-License-Identifier: Apache-2.0
#include "capture/context/process_context.h"

#include <array>
#include <cstring>

#include "format/wire/wire_reader.h"

namespace atys::capture {

namespace {

constexpr std::array<std::string_view, 3> kMappings = {"[anon_shmem:OTEL_CTX]", "[anon:OTEL_CTX]", "/memfd:OTEL_CTX"};
constexpr char kSignature[8] = {'O', 'T', 'E', 'L', '_', 'C', 'T', 'X'};
constexpr uint32_t kVersion = 2;
constexpr uint32_t kLargestPayload = 65536;
constexpr int kTries = 3;
constexpr size_t kMostKeys = 256;
constexpr size_t kMostAttributes = 256;
constexpr std::string_view kThreadSchema = "threadlocal.schema_version";
constexpr std::string_view kThreadKeys = "threadlocal.attribute_key_map";

struct Header {
  char signature[8];
  uint32_t version;
  uint32_t payload_size;
  uint64_t published_at_ns;  // 0: being written
  uint64_t payload;
};
static_assert(sizeof(Header) == 32);

using format::WireField;
using format::WireReader;
using format::WireType;

struct Attribute {
  std::string_view key;
  std::string_view text;
  std::vector<std::string_view> texts;  // of an array
};

void read_array(std::string_view bytes, std::vector<std::string_view>& texts) {
  WireReader values(bytes);
  for (WireField value; values.next(value);) {
    if (value.number != 1 || value.type != WireType::Bytes || texts.size() >= kMostKeys) continue;
    std::string_view text;
    WireReader any(value.bytes);
    for (WireField field; any.next(field);)
      if (field.number == 1 && field.type == WireType::Bytes) text = field.bytes;
    texts.push_back(text);  // also what is no text: the position is the number
  }
}

Attribute read_attribute(std::string_view bytes) {
  Attribute attribute;
  WireReader pair(bytes);
  for (WireField field; pair.next(field);) {
    if (field.type != WireType::Bytes) continue;
    if (field.number == 1) attribute.key = field.bytes;
    if (field.number != 2) continue;
    WireReader any(field.bytes);
    for (WireField value; any.next(value);) {
      if (value.type != WireType::Bytes) continue;
      if (value.number == 1) attribute.text = value.bytes;
      if (value.number == 5) read_array(value.bytes, attribute.texts);
    }
  }
  return attribute;
}

void take_attribute(const Attribute& attribute, ProcessContext& context) {
  if (attribute.key == kThreadSchema)
    context.thread_schema = attribute.text;
  else if (attribute.key == kThreadKeys)
    context.thread_keys.assign(attribute.texts.begin(), attribute.texts.end());
}

void take_resource(std::string_view bytes, ProcessContext& context) {
  WireReader resource(bytes);
  for (WireField field; resource.next(field);) {
    if (field.number != 1 || field.type != WireType::Bytes || context.resource.size() >= kMostAttributes) continue;
    const Attribute attribute = read_attribute(field.bytes);
    if (!attribute.key.empty() && !attribute.text.empty()) context.resource.emplace(attribute.key, attribute.text);
    take_attribute(attribute, context);
  }
}

std::optional<Header> read_header(uint64_t address, linux::MemoryReader& memory) {
  const auto header = memory.value_at<Header>(address);
  if (!header || std::memcmp(header->signature, kSignature, sizeof(kSignature)) != 0) return {};
  if (header->version != kVersion || header->payload_size > kLargestPayload || header->published_at_ns == 0) return {};
  return header;
}

std::optional<ProcessContext> read_at(uint64_t address, linux::MemoryReader& memory) {
  for (int i = 0; i < kTries; ++i) {
    const auto header = read_header(address, memory);
    if (!header) return {};
    const auto payload = memory.bytes_at(header->payload, header->payload_size);
    const auto after = read_header(address, memory);
    if (!payload || !after || after->published_at_ns != header->published_at_ns) continue;
    auto context = parse_process_context(*payload);
    if (!context.ok()) return {};
    context->published_at_ns = header->published_at_ns;
    return context.take();
  }
  return {};
}

}  // namespace

Result<ProcessContext> parse_process_context(std::string_view payload) {
  ProcessContext context;
  WireReader reader(payload);
  for (WireField field; reader.next(field);) {
    if (field.type != WireType::Bytes) continue;
    if (field.number == 1) take_resource(field.bytes, context);
    if (field.number == 2) take_attribute(read_attribute(field.bytes), context);
  }
  if (!reader.ok()) return reader.error();
  return context;
}

std::optional<ProcessContext> read_process_context(std::span<const linux::MappedRange> ranges, linux::MemoryReader& memory) {
  for (const linux::MappedRange& range : ranges)
    for (const std::string_view name : kMappings)
      if (!range.is_executable && range.path.starts_with(name))
        if (auto context = read_at(range.start, memory)) return context;
  return {};
}

}  // namespace atys::capture
