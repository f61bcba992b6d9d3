// SPDX-License-Identifier: Apache-2.0
// Points are counted in a table whose hash takes no notice of most of their bits.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>

static bool fixed = false;

struct Point {
  int x, y;
  bool operator==(const Point& other) const { return x == other.x && y == other.y; }
};

struct PointHash {
  size_t operator()(const Point& point) const {
    if (!fixed) return static_cast<size_t>((point.x ^ point.y) & 127);
    return (static_cast<uint64_t>(point.x) << 32 | static_cast<uint32_t>(point.y)) * 0x9e3779b97f4a7c15ull >> 20;
  }
};

using Counts = std::unordered_map<Point, int, PointHash>;

void count_points(Counts& counts, int size) {
  for (int x = 0; x < size; x++)
    for (int y = 0; y < size; y++) counts[{x * 37, y * 91}]++;
}

size_t describe(const Counts& counts) {
  size_t length = 0;
  for (const auto& [point, number] : counts)
    length += (std::to_string(point.x) + "," + std::to_string(point.y) + ":" + std::to_string(number)).size();
  return length;
}

int main(int count, char** words) {
  fixed = count > 1 && !std::strcmp(words[1], "fixed");
  Counts counts;
  for (int turn = 0; turn < 14; turn++) count_points(counts, 190);
  size_t length = 0;
  for (int turn = 0; turn < 60; turn++) length += describe(counts);
  std::printf("%zu\n", length);
}
