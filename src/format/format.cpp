// SPDX-License-Identifier: Apache-2.0
#include "format/format.h"

#include "base/gzip.h"
#include "base/strings.h"

namespace atys::format {

bool Format::sniff(std::span<const std::byte>) const { return false; }

Result<Profile> Format::read(ByteSource&) const {
  return fail(ErrorCode::Unsupported, "cannot read " + std::string(descriptor().name) + ": it can only be written");
}

Result<> Format::write(const Profile&, const WriteOptions&, ByteSink&) const {
  return fail(ErrorCode::Unsupported, "cannot write " + std::string(descriptor().name) + ": it can only be read");
}

const Format* find_format(std::string_view name) {
  for (const auto& format : all_formats()) {
    if (format->descriptor().name == name) return format.get();
  }
  return nullptr;
}

const Format* format_for_path(std::string_view path) {
  const Format* best = nullptr;
  size_t best_length = 0;
  for (const auto& format : all_formats()) {
    for (const std::string_view extension : format->descriptor().extensions) {
      if (path.ends_with(extension) && extension.size() > best_length) {
        best = format.get();
        best_length = extension.size();
      }
    }
  }
  return best;
}

namespace {

std::string readable_formats() {
  std::string names;
  for (const auto& format : all_formats())
    if (format->descriptor().can_read) add_to_list(names, format->descriptor().name);
  return names;
}

// What has nothing to look at is no profile, whatever the format says.
Result<Profile> read_with(const Format& format, ByteSource& source, Times times) {
  auto profile = times == Times::Kept ? format.read_with_times(source) : format.read(source);
  if (profile.ok() && profile->value_types().empty()) {
    return fail(ErrorCode::InvalidInput, "there are no values in it, from offset 0 on", "record the profile again");
  }
  return profile;
}

Result<Profile> read_plain(ByteSource& source, Times times) {
  const auto head = TRY(source.peek(kSniffBytes));
  if (head.empty()) return fail(ErrorCode::InvalidInput, "the file is empty at offset 0", "record the profile again");
  for (const auto& format : all_formats()) {
    if (format->descriptor().can_read && format->sniff(head)) return read_with(*format, source, times);
  }
  return fail(ErrorCode::InvalidInput, "not a profile that Atys knows, from offset 0 on",
              "formats read: " + readable_formats());
}

Result<Profile> read_any(ByteSource& source, Times times) {
  if (!is_gzip(TRY(source.peek(2)))) return read_plain(source, times);
  const auto inflated = own_source(source.name(), TRY(gunzip(TRY(source.read_all()))));
  return read_plain(*inflated, times);
}

// Some formats are gzip by their own rules; the others are, if the name says so.
Result<> write_gzipped(const Profile& profile, const Format& format, const WriteOptions& options, ByteSink& sink) {
  StringSink plain;
  TRY(format.write(profile, options, plain));
  return sink.write(is_gzip(as_byte_span(plain.text())) ? plain.text() : gzip(plain.text()));
}

}  // namespace

Result<Profile> read_profile(ByteSource& source, Times times) {
  auto profile = read_any(source, times);
  if (profile.ok()) return profile;
  // The system's own errors name the file already: "cannot read NAME: why".
  if (profile.error().message.find(" " + source.name() + ": ") != std::string::npos) return profile;
  return in_context("cannot read " + source.name(), profile.error());
}

Result<Profile> read_profile_file(const std::string& path, Times times) {
  const auto source = TRY(open_source(path));
  return read_profile(*source, times);
}

Result<> write_profile_file(const Profile& profile, const Format& format, const WriteOptions& options,
                            const std::string& path) {
  const auto sink = TRY(open_sink(path));
  if (path.ends_with(".gz")) {
    TRY(write_gzipped(profile, format, options, *sink));
  } else {
    TRY(format.write(profile, options, *sink));
  }
  return sink->commit();
}

}  // namespace atys::format
