// SPDX-License-Identifier: Apache-2.0
#include "base/descriptor_io.h"
#include "symbolize/jit_map.h"
#include "symbolize/mapped_file.h"

namespace atys::symbolize {

Result<JitMapFile> JitMapFile::find(pid_t pid) { return JitMapFile(TRY(linux::PerfMapPlace::find(pid))); }

Result<JitMap> JitMapFile::read() const {
  const auto found = TRY(place_.look());
  if (!found) return fail(ErrorCode::NotFound, "there is no " + place_.path());
  const UniqueFd fd = TRY(open_for_reading(found->handle, place_.path()));
  return JitMap::parse(TRY(read_to_end(fd.get(), linux::kLargestPerfMap, place_.path())));
}

Result<JitMap> open_jit_map(pid_t pid) { return TRY(JitMapFile::find(pid)).read(); }

}  // namespace atys::symbolize
