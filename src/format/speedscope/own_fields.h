// SPDX-License-Identifier: Apache-2.0
// What Atys adds to each profile of a speedscope file, in an object "atys", so that it can read its own files back exactly:
// other readers pass over keys that they do not know.
#pragma once

namespace atys::format::speedscope {

inline constexpr char kOwn[] = "atys";
inline constexpr char kOwnColumn[] = "column";  // position of the value type
inline constexpr char kOwnType[] = "type";      // the value type
inline constexpr char kOwnUnit[] = "unit";
inline constexpr char kOwnThread[] = "thread";      // absent: not known
inline constexpr char kOwnNegative[] = "negative";  // [[sample, weight], …]: speedscope refuses a file with weights below 0

inline constexpr char kThreadLabel[] = "thread.name";

inline constexpr char kSchema[] = "https://www.speedscope.app/file-format-schema.json";

}  // namespace atys::format::speedscope
