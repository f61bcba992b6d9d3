// SPDX-License-Identifier: Apache-2.0
// Call frame information of any bytes: entries, their programs, their rows.
#include "symbolize/frame_section.h"

#include <cstdlib>

#include "unwind/frame_program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::unwind;
  using atys::symbolize::read_frame_section;
  if (size == 0) return 0;
  const auto format = (data[0] & 1) != 0 ? FrameSection::Format::DebugFrame : FrameSection::Format::EhFrame;
  const auto machine = (data[0] & 2) != 0 ? Machine::Aarch64 : Machine::X86_64;
  const std::span bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  const FrameSection section = read_frame_section(bytes, 0x1000, format, (data[0] & 4) != 0);
  FramePrograms programs(machine, section);
  std::vector<Row> rows;
  for (const FrameEntry& entry : section.entries) {
    rows.clear();
    programs.run(entry, rows);
    if (rows.empty() || rows.front().address < entry.begin || rows.back().address >= entry.end) std::abort();
    for (size_t i = 1; i < rows.size(); ++i)
      if (rows[i - 1].address >= rows[i].address) std::abort();
  }
  return 0;
}
