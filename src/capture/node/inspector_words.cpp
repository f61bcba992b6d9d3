// SPDX-License-Identifier: Apache-2.0
#include "capture/node/inspector_words.h"

#include <fmt/format.h>

namespace atys::capture::node {

namespace {

constexpr std::string_view kTimer = "process[Symbol.for('atys.inspector')]";

// A signal asks the process to open its inspector twice: its main thread is interrupted, if it runs, and its event loop is
// told. Whichever comes second opens what was closed meanwhile; so it is closed once more at the end of this turn of the
// loop and, as that may be past the place where the loop is told, at the end of the next.
std::string close_thrice(const InspectorPorts& ports) {
  // The next signal opens it on the port that was last opened.
  const std::string move_back = ports.open == ports.usual ? "" : fmt::format("process.debugPort = {}; ", ports.usual);
  return fmt::format(
      "timers.clearTimeout({0}); delete {0}; {1}inspector.close(); "
      "timers.setImmediate(() => {{ inspector.close(); timers.setImmediate(() => inspector.close()); }});",
      kTimer, move_back);
}

// Whether Node.js is in the middle of loading modules of its own, as when it begins: who loads another then gets it half
// made, and leaves it so for the program. The stack tells; `process` is there before all else is. Once we have our timer the
// modules that we need are loaded.
std::string refusal_while_loading() {
  return fmt::format(
      "if (typeof process === 'undefined') throw new Error('{0}'); if (!{1}) {{ "
      "const limit = Error.stackTraceLimit; Error.stackTraceLimit = Infinity; "
      "const frames = String(new Error().stack).split('\\n').slice(2); Error.stackTraceLimit = limit; "
      "if (frames.some((frame) => /(at |\\()(node:)?internal\\/(bootstrap|process\\/pre_execution)/.test(frame)) || "
      "(frames.length === 1 && /(at |\\()(node:)?internal\\/main/.test(frames[0]))) throw new Error('{0}'); }} ",
      kLoading, kTimer);
}

// Without a value of its own: that of the last statement would be sent back, whole, and may be `process`.
std::string with_modules(const std::string& statements) {
  return fmt::format("{{ {} const inspector = {}; const timers = {}; {} void 0; }}", refusal_while_loading(),
                     builtin_module("inspector"), builtin_module("timers"), statements);
}

}  // namespace

std::string builtin_module(std::string_view name) {
  return fmt::format("(process.getBuiltinModule ? process.getBuiltinModule('{0}') : require('{0}'))", name);
}

std::string deadline(const InspectorPorts& ports, uint64_t ms) {
  return with_modules(
      fmt::format("timers.clearTimeout({0}); const timer = timers.setTimeout(() => {{ {1} }}, {2}); timer.unref(); "
                  "Object.defineProperty(process, Symbol.for('atys.inspector'), {{ value: timer, configurable: true }});",
                  kTimer, close_thrice(ports), ms));
}

std::string more_time() { return fmt::format("{{ const timer = {}; if (timer) timer.refresh(); void 0; }}", kTimer); }

std::string closing(const InspectorPorts& ports) { return with_modules(close_thrice(ports)); }

std::string closing_if_ours(const InspectorPorts& ports) {
  return with_modules(fmt::format("if ({}) {{ {} }}", kTimer, close_thrice(ports)));
}

}  // namespace atys::capture::node
