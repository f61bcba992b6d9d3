// SPDX-License-Identifier: Apache-2.0
#include "capture/context/published_contexts.h"

#include <algorithm>

#include "capture/context/context_place.h"
#include "capture/context/process_context.h"
#include "capture/go/go_kernel.h"
#include "capture/target/process_files.h"

namespace atys::capture {

namespace {

// The program itself is the lowest mapping of a file.
std::optional<atys_context_place> go_labels(pid_t pid, std::span<const linux::MappedRange> ranges) {
  const auto program = std::find_if(ranges.begin(), ranges.end(), [](const linux::MappedRange& range) {
    return range.is_executable && !range.path.empty() && range.path.front() == '/';
  });
  if (program == ranges.end()) return {};
  const auto file = open_mapped_file(pid, *program);
  const auto section = file.ok() ? file->section(".go.buildinfo") : std::nullopt;
  return section ? go_labels_of(go::version_in(section->bytes)) : std::nullopt;
}

}  // namespace

std::optional<native::ContextFinder::Found> PublishedContexts::find_context(pid_t pid) {
  const auto ranges = linux::read_maps(pid);
  if (!ranges.ok()) return {};
  linux::ProcessMemory memory(pid);
  if (auto context = read_process_context(*ranges, memory); context && !context->thread_schema.empty())
    if (const auto place = find_context_variable(pid, *ranges, memory))
      return Found{*place, std::move(context->thread_keys), std::move(context->resource)};
  if (const auto place = go_labels(pid, *ranges)) return Found{.place = *place};
  return {};
}

}  // namespace atys::capture
