// SPDX-License-Identifier: Apache-2.0
// The text that `perf script` prints: what people have when they profiled with perf on another machine.
#include "format/format.h"
#include "format/perf_script/perf_script_reader.h"

namespace atys::format {

namespace {

class PerfScriptFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "perf-script",
        .extensions = {".perf.txt", ".perf"},
        .media_type = "text/plain",
        .description = "text printed by perf script",
        .can_read = true,
        .can_write = false,
        .keeps = {},
    };
    return descriptor;
  }

  bool sniff(std::span<const std::byte> head) const override { return perf_script::looks_like_perf_script(as_text(head)); }

  Result<Profile> read(ByteSource& source) const override { return perf_script::read_perf_script(source); }
  Result<Profile> read_with_times(ByteSource& source) const override {
    return perf_script::read_perf_script(source, {.keeps_times = true});
  }
};

}  // namespace

std::unique_ptr<Format> create_perf_script() { return std::make_unique<PerfScriptFormat>(); }

}  // namespace atys::format
