// SPDX-License-Identifier: Apache-2.0
// OTLP/JSON: the same messages as in `format/otlp`, in JSON; one, or one a line.
#include "format/format.h"
#include "format/otlp/from_profile.h"
#include "format/otlp/json_codec.h"
#include "format/otlp/to_profile.h"

namespace atys::format {

namespace {

class OtlpJsonFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "otlp-json",
        .extensions = {".otlp.json"},
        .media_type = "application/json",
        .description = "OpenTelemetry profiles in JSON; keeps everything",
        .can_read = true,
        .can_write = true,
        .keeps = kKeepsEverything,
    };
    return descriptor;
  }

  // By the first name in the object.
  bool sniff(std::span<const std::byte> head) const override {
    std::string_view text = as_text(head);
    const auto skip_space = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size())); };
    skip_space();
    if (!text.starts_with('{')) return false;
    text.remove_prefix(1);
    skip_space();
    return text.starts_with("\"resourceProfiles\"") || text.starts_with("\"dictionary\"");
  }

  Result<Profile> read(ByteSource& source) const override {
    return otlp::to_profile(TRY(otlp::decode_json(as_text(TRY(source.read_all())))));
  }

  Result<> write(const Profile& profile, const WriteOptions&, ByteSink& sink) const override {
    return sink.write(otlp::encode_json(TRY(otlp::from_profile(profile))));
  }
};

}  // namespace

std::unique_ptr<Format> create_otlp_json() { return std::make_unique<OtlpJsonFormat>(); }

}  // namespace atys::format
