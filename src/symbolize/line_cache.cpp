// SPDX-License-Identifier: Apache-2.0
#include "symbolize/line_cache.h"

#include <cstring>
#include <string_view>

namespace atys::symbolize {

namespace {

constexpr size_t kMostPlaces = 65536;
constexpr uint32_t kMostFrames = 1024;

// Numbers are 8 bytes, texts a length and their bytes.
void put(Bytes& out, uint64_t number) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&number);
  out.insert(out.end(), bytes, bytes + sizeof(number));
}

void put(Bytes& out, std::string_view text) {
  put(out, text.size());
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), bytes, bytes + text.size());
}

bool take(std::span<const std::byte>& from, uint64_t& number) {
  if (from.size() < sizeof(number)) return false;
  std::memcpy(&number, from.data(), sizeof(number));
  from = from.subspan(sizeof(number));
  return true;
}

bool take(std::span<const std::byte>& from, std::string& text) {
  uint64_t size = 0;
  if (!take(from, size) || size > from.size()) return false;
  text.assign(reinterpret_cast<const char*>(from.data()), size);
  from = from.subspan(size);
  return true;
}

bool take(std::span<const std::byte>& from, SourceFrame& frame) {
  uint64_t line = 0;
  uint64_t start_line = 0;
  if (!take(from, frame.function) || !take(from, frame.system_name) || !take(from, frame.file) || !take(from, line) ||
      !take(from, start_line))
    return false;
  frame.line = static_cast<int64_t>(line);
  frame.start_line = static_cast<int64_t>(start_line);
  return true;
}

}  // namespace

void LineCache::load(std::span<const std::byte> bytes) {
  while (!bytes.empty() && places_.size() < kMostPlaces) {
    uint64_t address = 0;
    uint64_t count = 0;
    if (!take(bytes, address) || !take(bytes, count) || count > kMostFrames) return;
    std::vector<SourceFrame> frames;
    for (uint64_t i = 0; i < count; ++i)
      if (!take(bytes, frames.emplace_back())) return;
    places_.emplace(address, std::move(frames));
  }
}

Bytes LineCache::save() const {
  Bytes out;
  for (const auto& [address, frames] : places_) {
    put(out, address);
    put(out, frames.size());
    for (const SourceFrame& frame : frames) {
      put(out, frame.function);
      put(out, frame.system_name);
      put(out, frame.file);
      put(out, static_cast<uint64_t>(frame.line));
      put(out, static_cast<uint64_t>(frame.start_line));
    }
  }
  return out;
}

const std::vector<SourceFrame>* LineCache::find(uint64_t address) const {
  const auto found = places_.find(address);
  return found == places_.end() ? nullptr : &found->second;
}

void LineCache::add(uint64_t address, std::vector<SourceFrame> frames) {
  if (places_.size() >= kMostPlaces || frames.size() > kMostFrames) return;
  has_news_ = places_.emplace(address, std::move(frames)).second || has_news_;
}

}  // namespace atys::symbolize
