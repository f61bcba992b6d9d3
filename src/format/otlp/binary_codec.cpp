// SPDX-License-Identifier: Apache-2.0
#include "format/otlp/binary_codec.h"

#include <bit>
#include <optional>

#include "base/utf8.h"
#include "format/wire/wire_reader.h"
#include "format/wire/wire_writer.h"

namespace atys::format::otlp {

namespace {

class Decoder {
 public:
  explicit Decoder(const Dialect& dialect) : dialect_(dialect) {}

  template <typename Message>
  void read(Message& message, WireReader reader);

  void stop(size_t offset, const std::string& why) {
    error_ = fail(ErrorCode::InvalidInput, "bad OTLP data at offset " + std::to_string(offset) + ": " + why,
                  "the file is damaged or its writer has a bug; get it again");
  }

  const Dialect& dialect() const { return dialect_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  Dialect dialect_;
  size_t depth_ = 0;
  std::optional<Error> error_;
};

// Gives one field of the wire to the member that has its number.
class FieldTaker {
 public:
  FieldTaker(Decoder& decoder, const WireField& field, const WireReader& outer)
      : decoder_(&decoder), field_(&field), outer_(&outer) {}

  const Dialect& dialect() const { return decoder_->dialect(); }

  template <typename Number>
  void number(uint32_t number, const char*, Number& member) {
    if (is(number, WireType::Varint)) member = static_cast<Number>(field_->value);
  }
  void fixed64(uint32_t number, const char*, uint64_t& member) {
    if (is(number, WireType::Fixed64)) member = field_->value;
  }
  void text(uint32_t number, const char*, std::string& member) {
    if (is(number, WireType::Bytes)) member = from_utf8(field_->bytes);
  }
  void bytes(uint32_t number, const char*, std::string& member) {
    if (is(number, WireType::Bytes)) member = field_->bytes;
  }
  void id(uint32_t number, const char* name, std::string& member) { bytes(number, name, member); }
  template <typename Message>
  void message(uint32_t number, const char*, Message& member) {
    if (is(number, WireType::Bytes)) decoder_->read(member, nested());
  }
  template <typename Message>
  void messages(uint32_t number, const char*, std::vector<Message>& member) {
    if (is(number, WireType::Bytes)) decoder_->read(member.emplace_back(), nested());
  }
  void texts(uint32_t number, const char*, std::vector<std::string>& member) {
    if (is(number, WireType::Bytes)) member.push_back(from_utf8(field_->bytes));
  }
  template <typename Number>
  void numbers(uint32_t number, const char*, std::vector<Number>& member) {
    if (field_->number != number) return;
    if (field_->type == WireType::Varint) return member.push_back(static_cast<Number>(field_->value));
    if (!is(number, WireType::Bytes)) return;
    WireReader packed = nested();
    for (uint64_t value = 0; packed.next_varint(value);) member.push_back(static_cast<Number>(value));
    if (!packed.ok()) decoder_->stop(field_->offset, "a list of numbers is cut short");
  }
  void fixed64s(uint32_t number, const char*, std::vector<uint64_t>& member) {
    if (field_->number != number) return;
    if (field_->type == WireType::Fixed64) return member.push_back(field_->value);
    if (!is(number, WireType::Bytes)) return;
    WireReader packed = nested();
    for (uint64_t value = 0; packed.next_fixed64(value);) member.push_back(value);
    if (!packed.ok()) decoder_->stop(field_->offset, "a list of numbers is cut short");
  }
  template <typename Variant, typename T>
  void one_of(uint32_t number, const char*, Variant& member, std::in_place_type_t<T>) {
    if (field_->number == number) take(member.template emplace<T>());
  }

 private:
  void take(std::string& value) { text(field_->number, "", value); }
  void take(bool& value) {
    if (is(field_->number, WireType::Varint)) value = field_->value != 0;
  }
  void take(int64_t& value) { number(field_->number, "", value); }
  void take(double& value) {
    if (is(field_->number, WireType::Fixed64)) value = std::bit_cast<double>(field_->value);
  }
  void take(BytesValue& value) { bytes(field_->number, "", value.bytes); }
  void take(StringReference& value) { number(field_->number, "", value.index); }
  template <typename Message>
  void take(Message& value) {
    message(field_->number, "", value);
  }

  bool is(uint32_t number, WireType type) {
    if (field_->number != number) return false;
    if (field_->type != type) decoder_->stop(field_->offset, "field " + std::to_string(number) + " has the wrong type");
    return field_->type == type;
  }
  WireReader nested() const { return WireReader::nested(*field_, *outer_); }

  Decoder* decoder_;
  const WireField* field_;
  const WireReader* outer_;
};

template <typename Message>
void Decoder::read(Message& message, WireReader reader) {
  if (++depth_ > kMaxMessageDepth) return stop(reader.offset(), "messages are nested too deeply");
  if constexpr (requires { message.offset; }) message.offset = reader.offset();
  for (WireField field; !error_ && reader.next(field);) {
    FieldTaker taker(*this, field, reader);
    describe(taker, message);
  }
  if (!error_ && !reader.ok()) error_ = reader.error();
  --depth_;
}

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(&out), wire_(out) {}

  Dialect dialect() const { return {}; }

  template <typename Number>
  void number(uint32_t number, const char*, Number value) {
    wire_.int64(number, static_cast<int64_t>(value));
  }
  void fixed64(uint32_t number, const char*, uint64_t value) { wire_.fixed64(number, value); }
  void text(uint32_t number, const char*, const std::string& value) { wire_.bytes(number, to_utf8(value)); }
  void bytes(uint32_t number, const char*, const std::string& value) { wire_.bytes(number, value); }
  void id(uint32_t number, const char*, const std::string& value) { wire_.bytes(number, value); }
  template <typename Message>
  void message(uint32_t number, const char*, const Message& value) {
    nest(number, false, [&] { describe(*this, value); });
  }
  template <typename Message>
  void messages(uint32_t number, const char*, const std::vector<Message>& values) {
    for (const Message& value : values) nest(number, true, [&] { describe(*this, value); });
  }
  void texts(uint32_t number, const char*, const std::vector<std::string>& values) {
    for (const std::string& value : values) wire_.always_bytes(number, to_utf8(value));
  }
  template <typename Number>
  void numbers(uint32_t number, const char*, const std::vector<Number>& values) {
    nest(number, false, [&] {
      for (const Number value : values) wire_.raw_varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
    });
  }
  void fixed64s(uint32_t number, const char*, const std::vector<uint64_t>& values) {
    nest(number, false, [&] {
      for (const uint64_t value : values) wire_.raw_fixed64(value);
    });
  }
  template <typename Variant, typename T>
  void one_of(uint32_t number, const char*, const Variant& member, std::in_place_type_t<T>) {
    if (const T* value = std::get_if<T>(&member)) put(number, *value);
  }

 private:
  // A member of a oneof is written also when it has the default value: that says which member it is.
  void put(uint32_t number, const std::string& value) { wire_.always_bytes(number, to_utf8(value)); }
  void put(uint32_t number, bool value) { wire_.always_varint(number, value ? 1 : 0); }
  void put(uint32_t number, int64_t value) { wire_.always_varint(number, static_cast<uint64_t>(value)); }
  void put(uint32_t number, double value) {
    wire_.raw_varint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::Fixed64));
    wire_.raw_fixed64(std::bit_cast<uint64_t>(value));
  }
  void put(uint32_t number, const BytesValue& value) { wire_.always_bytes(number, value.bytes); }
  void put(uint32_t number, const StringReference& value) { put(number, int64_t{value.index}); }
  template <typename Message>
  void put(uint32_t number, const Message& value) {
    nest(number, true, [&] { describe(*this, value); });
  }

  // What `write` appends, with its tag and length put in front.
  template <typename Write>
  void nest(uint32_t number, bool even_if_empty, const Write& write) {
    const size_t start = out_->size();
    write();
    const size_t size = out_->size() - start;
    if (size == 0 && !even_if_empty) return;
    std::string head;
    WireWriter head_wire(head);
    head_wire.raw_varint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::Bytes));
    head_wire.raw_varint(size);
    out_->insert(start, head);
  }

  std::string* out_;
  WireWriter wire_;
};

template <typename Message>
std::string encode(const Message& message) {
  std::string out;
  Encoder encoder(out);
  describe(encoder, message);
  return out;
}

}  // namespace

Result<message::ProfilesData> decode_binary(std::string_view bytes, size_t base) {
  message::ProfilesData data;
  Decoder decoder(detect_dialect(bytes));
  decoder.read(data, WireReader(bytes, base));
  if (decoder.error()) return *decoder.error();
  return data;
}

std::string encode_binary(const message::ProfilesData& data) { return encode(data); }
std::string encode_binary(const message::Attribute& attribute) { return encode(attribute); }
std::string encode_binary(const message::Mapping& mapping) { return encode(mapping); }
std::string encode_binary(const message::Location& location) { return encode(location); }
std::string encode_binary(const message::Function& function) { return encode(function); }
std::string encode_binary(const message::Link& link) { return encode(link); }
std::string encode_binary(const message::Stack& stack) { return encode(stack); }

}  // namespace atys::format::otlp
