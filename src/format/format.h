// SPDX-License-Identifier: Apache-2.0
// A profile format: how a profile looks as bytes. One folder each, one word in the list of CMakeLists.txt; everything about
// a format (names, extensions, how to recognise it, what it can carry) is said in its folder.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/result.h"
#include "profile/profile.h"

namespace atys::format {

// What survives being written in a format. `convert` tells the user what does not.
struct Fidelity {
  bool labels = false;
  bool all_value_types = false;  // else one column is written
  bool addresses = false;        // addresses, mappings, inlining, line columns, function start lines, system names
  bool places = false;           // file and line of a frame
  bool kinds = false;            // frame kinds
  bool times = false;            // when each sample was taken
  bool header = false;           // start, duration, period, comments, loss, provenance
  bool odd_names = false;        // any bytes in names, also separators and line ends

  bool operator==(const Fidelity&) const = default;
};

inline constexpr Fidelity kKeepsEverything{.labels = true,
                                           .all_value_types = true,
                                           .addresses = true,
                                           .places = true,
                                           .kinds = true,
                                           .times = true,
                                           .header = true,
                                           .odd_names = true};

struct FormatDescriptor {
  std::string_view name;                     // as in `--to NAME`
  std::vector<std::string_view> extensions;  // longest match wins; the first is the one we suggest
  std::string_view media_type;
  std::string_view description;  // one line, for --help
  bool can_read = false;
  bool can_write = false;
  bool can_compare = false;  // WriteOptions::comparison
  Fidelity keeps;
};

// Flame graphs that compare: whose values frames are as wide as. Either: what is larger, so that nothing is missing.
enum class ComparedWidths { New, Base, Either };

// What a profile is to be compared with, by formats that can.
struct Comparison {
  const Profile* base = nullptr;  // null: nothing
  size_t base_column = 0;         // what fits the column that is written
  std::string base_name;
  std::string new_name;
  ComparedWidths widths = ComparedWidths::New;
  bool is_absolute = false;  // values as they are; else shares, which also compare recordings of different length
};

struct WriteOptions {
  std::optional<size_t> value_column;  // for formats that carry one column; default: the profile's own default
  std::string title;                   // for formats that people look at
  bool inverted = false;               // flame graphs: callees at the root
  Comparison comparison = {};
};

class Format {
 public:
  virtual ~Format() = default;
  virtual const FormatDescriptor& descriptor() const = 0;
  // Whether bytes that begin so are mine. Gzip has been taken off; `head` is up to kSniffBytes long.
  virtual bool sniff(std::span<const std::byte> head) const;
  // Errors name what is wrong and the offset of it in the (decompressed) bytes, not the source: the caller adds its name.
  virtual Result<Profile> read(ByteSource& source) const;
  // The same with the time of each sample, for formats whose read() adds up samples that differ in nothing else.
  virtual Result<Profile> read_with_times(ByteSource& source) const { return read(source); }
  virtual Result<> write(const Profile& profile, const WriteOptions& options, ByteSink& sink) const;
};

inline constexpr size_t kSniffBytes = 4096;

// Every format there is, in the order in which they are asked to recognise bytes. Made from the list in CMakeLists.txt.
const std::vector<std::unique_ptr<Format>>& all_formats();

const Format* find_format(std::string_view name);
// By the longest fitting extension of a file name.
const Format* format_for_path(std::string_view path);

// Whether a row of the profile has to be one moment, where the bytes say it: many more rows, for who shows them in order.
enum class Times { AsRead, Kept };

// Reads a profile of whatever format, gzip or not.
Result<Profile> read_profile(ByteSource& source, Times times = Times::AsRead);
Result<Profile> read_profile_file(const std::string& path, Times times = Times::AsRead);

// Writes to a file ("-" for standard output), which appears whole or not at all; gzipped if its name ends in ".gz".
Result<> write_profile_file(const Profile& profile, const Format& format, const WriteOptions& options,
                            const std::string& path);

}  // namespace atys::format
