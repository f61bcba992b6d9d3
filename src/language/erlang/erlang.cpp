// SPDX-License-Identifier: Apache-2.0
// Erlang, Elixir and what else BEAM runs.
#include "language/language.h"

namespace atys::language {

const Language& erlang() {
  static const Language facts{
      .name = "erlang",
      .frame_kinds = {{.name = "beam", .category = Category::Interpreted, .hue = 345}},
      .source_extensions = {".erl", ".hrl", ".ex", ".exs"},
      .is_placed_by_file = true,
      .runtime_folders = {"/lib/erlang/", "/erts/emulator/"},
      .runtime_modules = {"beam.smp"},
      .collects_garbage = {"erts_garbage"},
      .schedules = {"erts_schedule", "scheduler_wait"},
      .interpreters = {{.names = {"beam.smp"}, .name_follows = {"-sname", "-name"}, .plain = Interpreter::Plain::Nothing}},
  };
  return facts;
}

}  // namespace atys::language
