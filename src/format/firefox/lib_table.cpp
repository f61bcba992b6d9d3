// SPDX-License-Identifier: Apache-2.0
#include "format/firefox/lib_table.h"

#include <algorithm>
#include <cctype>

#include "base/hex.h"
#include "base/path_names.h"

namespace atys::format::firefox {

using namespace profile;

namespace {

constexpr int64_t kNotAsked = -2;

bool is_build_id(std::string_view text) { return !text.empty() && text.size() % 2 == 0 && is_hex(text); }

void write_lib(JsonWriter& json, std::string_view path, std::string_view name, std::string_view build_id) {
  json.begin_object();
  json.field("arch", "");
  json.field("name", name).field("path", path);
  json.field("debugName", name).field("debugPath", path);
  json.field("breakpadId", breakpad_id(build_id));
  json.key("codeId");
  if (is_build_id(build_id)) {
    json.value(build_id);
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace

std::string breakpad_id(std::string_view build_id) {
  // A GUID's first three numbers are little-endian: bytes 3 2 1 0, 5 4, 7 6, then 8 to 15 in order.
  static constexpr size_t kByteOrder[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  std::string id;
  for (const size_t byte : kByteOrder) {
    const bool has_byte = is_build_id(build_id) && byte * 2 + 1 < build_id.size();
    for (const size_t digit : {byte * 2, byte * 2 + 1}) {
      id.push_back(has_byte ? static_cast<char>(std::toupper(static_cast<unsigned char>(build_id[digit]))) : '0');
    }
  }
  return id + "0";
}

int64_t LibTable::intern(const Profile& profile, MappingId id) {
  if (lib_of_mapping_.empty()) lib_of_mapping_.resize(profile.mappings.size(), kNotAsked);
  int64_t& lib = lib_of_mapping_[raw(id)];
  if (lib != kNotAsked) return lib;
  const Mapping& mapping = profile.mappings[id];
  const std::string path(profile.text(mapping.filename));
  const std::string build_id(profile.text(mapping.build_id));
  lib = kNone;
  if (path.empty()) return lib;
  const auto [found, is_new] = known_.emplace(std::pair(path, build_id), static_cast<int64_t>(libs_.size()));
  if (is_new) libs_.push_back({path, path.ends_with('/') ? path : std::string(base_name(path)), build_id});
  lib = found->second;
  return lib;
}

void LibTable::write(JsonWriter& json) const {
  json.key("libs").begin_array();
  for (const Lib& lib : libs_) write_lib(json, lib.path, lib.name, lib.build_id);
  json.end_array();
}

}  // namespace atys::format::firefox
