// SPDX-License-Identifier: Apache-2.0
#include "capture/go/go_kernel.h"

#include "base/byte_source.h"
#include "capture/plain_kernel.h"

namespace atys::capture {

namespace {

std::string version(const symbolize::ElfFile& file, const FileSigns&, std::string_view) {
  const auto section = file.section(".go.buildinfo");
  return section ? go::version_in(section->bytes) : "";
}

}  // namespace

std::string go::version_in(std::span<const std::byte> build_info) {
  // "\xff Go buildinf:", the size of a pointer, flags; since Go 1.18 flag 2 says that at 32 a varint and the text follow.
  constexpr std::string_view kMagic = "\xff Go buildinf:";
  constexpr size_t kText = 32;
  const std::string_view text = as_text(build_info);
  if (text.size() <= kText || !text.starts_with(kMagic) || (text[15] & 2) == 0) return {};
  const auto length = static_cast<unsigned char>(text[kText]);
  if (length >= 0x80 || text.size() - kText - 1 < length) return {};
  const std::string_view found = text.substr(kText + 1, length);
  return found.starts_with("go") ? std::string(found.substr(2)) : "";
}

std::unique_ptr<ProfilingKernel> create_go_kernel() {
  return std::make_unique<PlainKernel>(
      "go", RuntimeSigns{.name = "Go", .sections = {".go.buildinfo", ".gopclntab"}, .version = version}, "");
}

}  // namespace atys::capture
