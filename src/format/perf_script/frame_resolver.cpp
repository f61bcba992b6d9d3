// SPDX-License-Identifier: Apache-2.0
#include "format/perf_script/frame_resolver.h"

#include "format/perf_script/symbol_name.h"

namespace atys::format::perf_script {

using namespace profile;

namespace {

// Scopes of text keys. Source lines take the frame's id beyond these.
enum Scope : uint64_t { kFrameScope = 1, kCommandScope, kModelScope, kSourceScope };

constexpr std::string_view kUnknownSymbol = "[unknown]";

std::string without_blanks(std::string_view comm) {
  std::string name(comm);
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
}

}  // namespace

TextKey FrameResolver::prepare(std::string_view line) const {
  const TextKey key = hasher_.key(line, kFrameScope);
  frames_.prefetch(key);
  return key;
}

FrameId FrameResolver::frame(const TextKey& key, std::string_view line) {
  if (const uint32_t known = frames_.find(key); known != 0) return FrameId{known};
  const auto parsed = parse_frame(line);
  if (!parsed) return kNoFrame;
  const FrameId made = make_frame(*parsed);
  frames_.add(key, raw(made));
  return made;
}

FrameId FrameResolver::make_frame(const FrameLine& line) {
  // Symbol and module are neighbours in the line but for the offset between them, so they are hashed apart.
  const TextKey symbol = hasher_.key(line.symbol, kModelScope);
  const TextKey key = hasher_.key(line.module, kModelScope ^ symbol.low ^ (uint64_t{symbol.high} << 32));
  Frame frame;
  if (const uint32_t known = models_.find(key); known != 0) {
    frame = tables_->frames[FrameId{known}];
    frame.address = line.address;
    return tables_->frames.intern(frame);
  }
  frame = model_of(line);
  frame.address = line.address;
  const FrameId made = tables_->frames.intern(frame);
  models_.add(key, raw(made));
  return made;
}

Frame FrameResolver::model_of(const FrameLine& line) {
  Frame frame;
  const std::string_view kind = kind_of_module(line.module);
  frame.kind = tables_->strings.intern(kind);
  if (!line.module.empty() && kind != "inlined") {
    frame.mapping = tables_->mappings.intern({.filename = tables_->strings.intern(line.module), .has_functions = true});
  }
  // An address alone may be 0; without a kind that would be the empty frame.
  if (line.symbol.empty() && line.module.empty()) frame.kind = tables_->strings.intern("unknown");
  if (line.symbol.empty()) return frame;
  const bool is_unknown = line.symbol == kUnknownSymbol;
  const std::string name = is_unknown ? name_of_unknown(line.module) : tidy_symbol(line.symbol);
  Function function;
  function.name = tables_->strings.intern(name);
  if (!is_unknown && name != line.symbol) function.system_name = tables_->strings.intern(line.symbol);
  const Line only{0, 0, tables_->functions.intern(function)};
  frame.lines = tables_->lines.intern({&only, 1});
  return frame;
}

FrameId FrameResolver::command(std::string_view comm) {
  if (comm.empty()) return kNoFrame;
  const TextKey key = hasher_.key(comm, kCommandScope);
  if (const uint32_t known = frames_.find(key); known != 0) return FrameId{known};
  const std::string name = without_blanks(comm);
  Function function;
  function.name = tables_->strings.intern(name);
  if (name != comm) function.system_name = tables_->strings.intern(comm);
  Frame frame;
  frame.kind = tables_->strings.intern("process");
  const FrameId made = frame_of_function(frame, function, 0);
  frames_.add(key, raw(made));
  return made;
}

FrameId FrameResolver::placed(FrameId frame, std::string_view source_line) {
  const TextKey key = hasher_.key(source_line, kSourceScope + raw(frame));
  if (const uint32_t known = frames_.find(key); known != 0) return FrameId{known};
  const auto source = parse_source_line(source_line);
  if (!source) return kNoFrame;
  FrameId made = frame;
  const auto lines = tables_->lines[tables_->frames[frame].lines];
  if (!lines.empty() && source->line > 0 && lines.front().line == 0) {
    Function function = tables_->functions[lines.front().function];
    function.filename = tables_->strings.intern(source->file);
    made = frame_of_function(tables_->frames[frame], function, source->line);
  }
  frames_.add(key, raw(made));
  return made;
}

FrameId FrameResolver::frame_of_function(Frame frame, Function function, int64_t line) {
  const Line only{line, 0, tables_->functions.intern(function)};
  frame.lines = tables_->lines.intern({&only, 1});
  return tables_->frames.intern(frame);
}

}  // namespace atys::format::perf_script
