// SPDX-License-Identifier: Apache-2.0
#include "symbolize/frames_codec.h"

namespace atys::symbolize {

namespace {

constexpr size_t kLeastOfFrame = 40;
constexpr size_t kLeastOfRange = 20;

void encode(const std::vector<SourceFrame>& frames, JailPacker& packer) {
  packer.number(static_cast<uint32_t>(frames.size()));
  for (const SourceFrame& frame : frames)
    packer.text(frame.function).text(frame.system_name).text(frame.file).number(frame.line).number(frame.start_line);
}

// A count is believed only as far as there are bytes for it.
std::vector<SourceFrame> take_frames(Cursor& cursor) {
  std::vector<SourceFrame> frames;
  const auto count = cursor.fixed<uint32_t>();
  if (count > cursor.left() / kLeastOfFrame) (void)cursor.block(UINT64_MAX);
  for (uint32_t i = 0; i < count && cursor.ok(); ++i) {
    SourceFrame frame;
    frame.function = take_text(cursor);
    frame.system_name = take_text(cursor);
    frame.file = take_text(cursor);
    frame.line = cursor.fixed<int64_t>();
    frame.start_line = cursor.fixed<int64_t>();
    frames.push_back(std::move(frame));
  }
  return frames;
}

std::vector<ResolvedRange> take_ranges(Cursor& cursor) {
  std::vector<ResolvedRange> ranges;
  const auto count = cursor.fixed<uint32_t>();
  if (count > cursor.left() / kLeastOfRange) (void)cursor.block(UINT64_MAX);
  for (uint32_t i = 0; i < count && cursor.ok(); ++i) {
    ResolvedRange range;
    range.start = cursor.fixed<uint64_t>();
    range.end = cursor.fixed<uint64_t>();
    range.frames = take_frames(cursor);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

}  // namespace

Bytes encode(const ResolveQuestion& question) {
  JailPacker packer;
  packer.number(static_cast<uint8_t>(question.wants_ranges)).number(static_cast<uint32_t>(question.wanted.size()));
  for (const Module::Wanted& one : question.wanted) packer.number(one.address).number(static_cast<uint8_t>(one.effort));
  return packer.take();
}

std::optional<ResolveQuestion> decode_question(Cursor& cursor) {
  ResolveQuestion question{.wants_ranges = cursor.fixed<uint8_t>() != 0, .wanted = {}};
  const auto count = cursor.fixed<uint32_t>();
  for (uint32_t i = 0; i < count && cursor.ok(); ++i) {
    const auto address = cursor.fixed<uint64_t>();
    const bool is_names = cursor.fixed<uint8_t>() == static_cast<uint8_t>(Module::Effort::Names);
    question.wanted.push_back({address, is_names ? Module::Effort::Names : Module::Effort::Whole});
  }
  if (!cursor.ok()) return {};
  return question;
}

void encode(const ResolvedAddress& answer, JailPacker& packer) {
  packer.number(answer.address);
  encode(answer.frames, packer);
  packer.number(static_cast<uint32_t>(answer.ranges.size()));
  for (const ResolvedRange& range : answer.ranges) {
    packer.number(range.start).number(range.end);
    encode(range.frames, packer);
  }
}

std::optional<std::vector<ResolvedAddress>> decode_answers(std::span<const std::byte> bytes) {
  std::vector<ResolvedAddress> answers;
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    ResolvedAddress answer{.address = cursor.fixed<uint64_t>(), .frames = {}, .ranges = {}};
    answer.frames = take_frames(cursor);
    answer.ranges = take_ranges(cursor);
    answers.push_back(std::move(answer));
  }
  if (!cursor.ok()) return {};
  return answers;
}

}  // namespace atys::symbolize
