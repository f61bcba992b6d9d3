// SPDX-License-Identifier: Apache-2.0
// firefox: the processed format of the Firefox Profiler, for its call tree, flame graph and time line. Write only.
#include "format/firefox/firefox_writer.h"
#include "format/format.h"

namespace atys::format {

namespace {

class FirefoxFormat final : public Format {
 public:
  const FormatDescriptor& descriptor() const override {
    static const FormatDescriptor descriptor{
        .name = "firefox",
        .extensions = {".firefox.json.gz", ".firefox.json"},
        .media_type = "application/json",
        .description = "JSON of the Firefox Profiler, one value type; threads and times as a time line",
        .can_read = false,
        .can_write = true,
        // Addresses are kept relative to their file and kinds as a few categories: some of each, so neither is promised.
        .keeps = {.places = true, .times = true, .odd_names = true},
    };
    return descriptor;
  }

  Result<> write(const Profile& profile, const WriteOptions& options, ByteSink& sink) const override {
    if (profile.value_types().empty()) {
      return fail(ErrorCode::InvalidInput, "cannot write firefox: the profile has no value types",
                  "record the profile again");
    }
    return sink.write(firefox::write_firefox(profile, options));
  }
};

}  // namespace

std::unique_ptr<Format> create_firefox() { return std::make_unique<FirefoxFormat>(); }

}  // namespace atys::format
