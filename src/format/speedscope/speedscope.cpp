// SPDX-License-Identifier: Apache-2.0
// speedscope: the JSON of the flame graph viewer of that name, which many samplers of scripting languages write.
#include "format/format.h"
#include "format/speedscope/speedscope_reader.h"
#include "format/speedscope/speedscope_writer.h"

namespace atys::format {

namespace {

using namespace speedscope;

class SpeedscopeFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "speedscope",
        .extensions = {".speedscope.json", ".speedscope.json.gz", ".speedscope"},
        .media_type = "application/json",
        .description = "JSON of the speedscope viewer; keeps names, places, threads and all value types",
        .can_read = true,
        .can_write = true,
        .keeps = {.all_value_types = true, .places = true, .odd_names = true},
    };
    return descriptor;
  }

  // The schema may come last, after any number of frames: then its other words must do.
  bool sniff(std::span<const std::byte> head) const override {
    const std::string_view text = as_text(head);
    const auto has = [text](std::string_view word) { return text.find(word) != std::string_view::npos; };
    const size_t start = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
    if (start == std::string_view::npos || text[start] != '{') return false;
    return has("speedscope.app/file-format-schema") || (has("\"shared\"") && has("\"frames\"")) ||
           (has("\"profiles\"") && (has("\"sampled\"") || has("\"evented\"")));
  }

  Result<Profile> read(ByteSource& source) const override { return read_speedscope(as_text(TRY(source.read_all()))); }
  Result<Profile> read_with_times(ByteSource& source) const override {
    return read_speedscope(as_text(TRY(source.read_all())), true);
  }

  Result<> write(const Profile& profile, const WriteOptions& options, ByteSink& sink) const override {
    return write_speedscope(profile, options, sink);
  }
};

}  // namespace

std::unique_ptr<Format> create_speedscope() { return std::make_unique<SpeedscopeFormat>(); }

}  // namespace atys::format
