// SPDX-License-Identifier: Apache-2.0
// pprof: the gzipped protobuf of google/pprof, which half the world writes. Carries everything that a profile holds.
#include "base/gzip.h"
#include "format/format.h"
#include "format/pprof/fields.h"
#include "format/pprof/pprof_reader.h"
#include "format/pprof/pprof_writer.h"
#include "format/wire/wire_reader.h"

namespace atys::format {

namespace {

using namespace pprof;

bool is_known_shape(const WireField& field) {
  switch (field.number) {
    case kSample:
    case kMapping:
    case kLocation:
    case kFunction:
    case kStringTable:
    case kPeriodType: return field.type == WireType::Bytes;
    case kComment: return field.type == WireType::Bytes || field.type == WireType::Varint;
    case kSampleType:
      // A ValueType holds two numbers; the first field of other protobuf formats holds messages.
      return field.type == WireType::Bytes && field.bytes.size() <= 22 && (field.bytes.empty() || (field.bytes[0] & 7) == 0);
    default: return field.number >= 1000 || (field.number <= kDocUrl && field.type == WireType::Varint);
  }
}

class PprofFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "pprof",
        .extensions = {".pb.gz", ".pprof", ".prof", ".pb"},
        .media_type = "application/octet-stream",
        .description = "gzipped protobuf of the pprof tool; keeps everything",
        .can_read = true,
        .can_write = true,
        .keeps = kKeepsEverything,
    };
    return descriptor;
  }

  // There is no magic number: every field of the head must look like one of pprof's, as far as the head goes.
  bool sniff(std::span<const std::byte> head) const override {
    if (is_plain_text(as_text(head))) return false;
    WireReader reader(as_text(head));
    size_t fields = 0;
    for (WireField field; reader.next(field); ++fields) {
      if (!is_known_shape(field)) return false;
    }
    return fields > 0;
  }

  Result<Profile> read(ByteSource& source) const override { return read_pprof(as_text(TRY(source.read_all()))); }

  Result<> write(const Profile& profile, const WriteOptions&, ByteSink& sink) const override {
    return sink.write(gzip(write_pprof(profile)));
  }
};

}  // namespace

std::unique_ptr<Format> create_pprof() { return std::make_unique<PprofFormat>(); }

}  // namespace atys::format
