// SPDX-License-Identifier: Apache-2.0
// Looks into parsed JSON and says where something is wrong: once parsed, a path is what is left of an offset.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/utf8.h"

namespace atys::format::speedscope {

inline Error bad(const std::string& path, const std::string& what) {
  return fail(ErrorCode::InvalidInput, "bad speedscope data at " + path + ": " + what,
              "the file is damaged or its writer has a bug; get it again");
}

inline std::string at_index(const std::string& path, size_t index) { return path + "[" + std::to_string(index) + "]"; }

// Null: not there, or `null`, which some writers put for "unknown".
inline const Json* find_member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// A reference to the array: large ones are not copied.
inline Result<const Json*> array_member(const Json& object, const char* key, const std::string& path) {
  const Json* const found = find_member(object, key);
  if (found == nullptr || !found->is_array()) return bad(path, std::string("there is no array '") + key + "'");
  return found;
}

// Empty where there is none; numbers and the like are refused.
inline Result<std::string> text_member(const Json& object, const char* key, const std::string& path) {
  const Json* const found = find_member(object, key);
  if (found == nullptr) return std::string();
  if (!found->is_string()) return bad(path + "." + key, "not a string");
  return from_utf8(found->get_ref<const std::string&>());
}

inline bool fits_int64(const Json& number) {
  return number.is_number_integer() && (!number.is_number_unsigned() || number.get<uint64_t>() <= uint64_t{INT64_MAX});
}

inline Result<int64_t> integer_member(const Json& object, const char* key, const std::string& path) {
  const Json* const found = find_member(object, key);
  if (found == nullptr) return int64_t{0};
  if (!fits_int64(*found)) return bad(path + "." + key, "not a whole number");
  return found->get<int64_t>();
}

}  // namespace atys::format::speedscope
