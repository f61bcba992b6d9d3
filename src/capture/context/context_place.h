// SPDX-License-Identifier: Apache-2.0
// Where the threads of a process keep what they say of their work at hand: the thread-local variable of OpenTelemetry's
// thread context (OTEP 4947), or the labels of goroutines.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string_view>

#include "capture/native/context_records.h"
#include "linux/memory_reader.h"
#include "linux/proc_maps.h"
#include "symbolize/elf_file.h"

namespace atys::capture {

// Looks through the files that the process has mapped. Empty: no file has the variable, or it is reached in a way that we
// do not know.
std::optional<atys_context_place> find_context_variable(pid_t pid, std::span<const linux::MappedRange> ranges,
                                                        linux::MemoryReader& memory);

// In a file at hand; `bias` is what to add to its own addresses, `is_program` whether it is the program itself, whose
// variables lie beside the thread pointer.
std::optional<atys_context_place> context_variable_of(const symbolize::ElfFile& file, uint64_t bias, bool is_program,
                                                      linux::MemoryReader& memory);

// Labels of goroutines, by the version of the runtime ("1.26.8"). Empty: a version whose structures we do not know.
std::optional<atys_context_place> go_labels_of(std::string_view version);

}  // namespace atys::capture
