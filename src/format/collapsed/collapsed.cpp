// SPDX-License-Identifier: Apache-2.0
// Collapsed (folded) stacks: the text that flame graph tools pass around. Names, one value, and three kinds of frame
// survive.
#include "format/collapsed/collapsed_reader.h"
#include "format/collapsed/collapsed_writer.h"
#include "format/format.h"

namespace atys::format {

namespace {

class CollapsedFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "collapsed",
        .extensions = {".collapsed", ".folded"},
        .media_type = "text/plain",
        .description = "one line of text per stack: root;…;leaf COUNT",
        .can_read = true,
        .can_write = true,
        .keeps = {},
    };
    return descriptor;
  }

  bool sniff(std::span<const std::byte> head) const override {
    return collapsed::looks_collapsed(as_text(head), head.size() < kSniffBytes);
  }

  Result<Profile> read(ByteSource& source) const override {
    return collapsed::read_collapsed(as_text(TRY(source.read_all())));
  }

  Result<> write(const Profile& profile, const WriteOptions& options, ByteSink& sink) const override {
    return collapsed::write_collapsed(profile, options.value_column.value_or(profile.default_value_column()), sink);
  }
};

}  // namespace

std::unique_ptr<Format> create_collapsed() { return std::make_unique<CollapsedFormat>(); }

}  // namespace atys::format
