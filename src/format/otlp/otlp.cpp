// SPDX-License-Identifier: Apache-2.0
// OTLP: the profiles signal of OpenTelemetry in its protobuf form, as agents send it and the Collector stores it.
#include <algorithm>

#include "format/format.h"
#include "format/otlp/binary_codec.h"
#include "format/otlp/from_profile.h"
#include "format/otlp/to_profile.h"
#include "format/wire/wire_reader.h"

namespace atys::format {

namespace {

using namespace otlp;

// The Collector's file exporter puts four bytes of length, big end first, before each message. Protobuf never starts with a
// byte below 8, which would be field 0; so messages below 128 MiB can be told apart.
constexpr size_t kLengthBytes = 4;
constexpr size_t kMaxFramedBytes = size_t{128} << 20;

bool is_framed(std::string_view bytes) { return bytes.size() > kLengthBytes && static_cast<unsigned char>(bytes[0]) < 8; }

size_t framed_length(std::string_view bytes) {
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

// Takes a tag and a length off `bytes`; false if that is not how they begin.
bool enter_field(std::string_view& bytes, uint32_t& number, uint64_t& length) {
  WireReader reader(bytes);
  uint64_t tag = 0;
  if (!reader.next_varint(tag) || (tag & 7) != 2 || !reader.next_varint(length)) return false;
  number = static_cast<uint32_t>(tag >> 3);
  bytes.remove_prefix(reader.offset());
  return true;
}

// The first field of a message at the start of `bytes` must be a message or string with a number in [1, last].
bool starts_with_bytes_field(std::string_view bytes, uint32_t last) {
  uint32_t number = 0;
  uint64_t length = 0;
  return enter_field(bytes, number, length) && number >= 1 && number <= last;
}

// As a dictionary does, whatever the order of its tables: the first entry of each is empty.
bool starts_with_table(std::string_view bytes) {
  return starts_with_bytes_field(bytes, 7) && bytes.size() > 2 && bytes[1] == 0 &&
         starts_with_bytes_field(bytes.substr(2), 7);
}

Result<std::vector<message::ProfilesData>> decode_framed(std::string_view bytes) {
  std::vector<message::ProfilesData> messages;
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view rest = bytes.substr(at);
    if (rest.size() < kLengthBytes || framed_length(rest) > rest.size() - kLengthBytes) {
      return fail(ErrorCode::InvalidInput, "bad OTLP data at offset " + std::to_string(at) + ": a message is cut short",
                  "the file is damaged; get it again");
    }
    messages.push_back(TRY(decode_binary(rest.substr(kLengthBytes, framed_length(rest)), at + kLengthBytes)));
    at += kLengthBytes + framed_length(rest);
  }
  return messages;
}

class OtlpFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "otlp",
        .extensions = {".otlp"},
        .media_type = "application/x-protobuf",
        .description = "OpenTelemetry profiles in protobuf; keeps everything",
        .can_read = true,
        .can_write = true,
        .keeps = kKeepsEverything,
    };
    return descriptor;
  }

  // Begins with ResourceProfiles, whose fields are all messages and strings, or with a dictionary, which in turn begins with
  // the empty entry of a table. pprof's first two fields hold numbers, or lists of them that are not empty.
  bool sniff(std::span<const std::byte> head) const override {
    std::string_view bytes = as_text(head);
    if (is_framed(bytes) && framed_length(bytes) < kMaxFramedBytes) bytes.remove_prefix(kLengthBytes);
    for (int empty_fields = 0; empty_fields < 8; ++empty_fields) {
      uint32_t number = 0;
      uint64_t length = 0;
      if (!enter_field(bytes, number, length)) return false;
      if (length == 0) continue;
      bytes = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(length, bytes.size())));
      if (number == 1) return starts_with_bytes_field(bytes, 3);
      return number == 2 && starts_with_table(bytes);
    }
    return false;
  }

  Result<Profile> read(ByteSource& source) const override {
    const std::string_view bytes = as_text(TRY(source.read_all()));
    if (is_framed(bytes)) return to_profile(TRY(decode_framed(bytes)));
    std::vector<message::ProfilesData> one;
    one.push_back(TRY(decode_binary(bytes)));
    return to_profile(std::move(one));
  }

  Result<> write(const Profile& profile, const WriteOptions&, ByteSink& sink) const override {
    return sink.write(encode_binary(TRY(from_profile(profile))));
  }
};

}  // namespace

std::unique_ptr<Format> create_otlp() { return std::make_unique<OtlpFormat>(); }

}  // namespace atys::format
