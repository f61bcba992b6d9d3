// SPDX-License-Identifier: Apache-2.0
// Recordings of the Java Flight Recorder: what HotSpot writes by itself, and async-profiler with its output `jfr`.
#include "format/format.h"
#include "format/jfr/chunk.h"
#include "format/jfr/jfr_reader.h"

namespace atys::format {

namespace {

class JfrFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "jfr",
        .extensions = {".jfr"},
        .media_type = "application/octet-stream",
        .description = "recording of Java Flight Recorder or async-profiler",
        .can_read = true,
        .can_write = false,
        .keeps = {},
    };
    return descriptor;
  }

  bool sniff(std::span<const std::byte> head) const override { return as_text(head).starts_with(jfr::kMagic); }

  Result<Profile> read(ByteSource& source) const override { return jfr::read_jfr(as_text(TRY(source.read_all()))); }
  Result<Profile> read_with_times(ByteSource& source) const override {
    return jfr::read_jfr(as_text(TRY(source.read_all())), true);
  }
};

}  // namespace

std::unique_ptr<Format> create_jfr() { return std::make_unique<JfrFormat>(); }

}  // namespace atys::format
