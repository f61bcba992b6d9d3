// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/stack_resolver.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "format/jfr/java_names.h"

namespace atys::format::jfr {

using namespace profile;

namespace {

enum FrameSlot : int { kMethod, kLine, kType, kFrameSlots };
enum MethodSlot : int { kClass, kName, kDescriptor, kMethodSlots };
enum ThreadSlot : int { kOsName, kOsId, kJavaName, kThreadSlots };

constexpr int kUnwanted = -1;

int frame_slot(std::string_view field) {
  if (field == "method") return kMethod;
  if (field == "lineNumber") return kLine;
  return field == "type" ? kType : kUnwanted;
}

int method_slot(std::string_view field) {
  if (field == "type") return kClass;
  if (field == "name") return kName;
  return field == "descriptor" ? kDescriptor : kUnwanted;
}

int thread_slot(std::string_view field) {
  if (field == "osName") return kOsName;
  if (field == "osThreadId") return kOsId;
  return field == "javaName" ? kJavaName : kUnwanted;
}

struct FrameType {
  std::string_view description;
  std::string_view kind;
  std::string_view attribute;  // value of jvm.frame
};

// HotSpot has the first four, async-profiler all.
constexpr std::array<FrameType, 7> kFrameTypes{{
    {"Interpreted", "jvm", "interpreted"},
    {"JIT compiled", "jvm", "jit"},
    {"Inlined", "jvm", "inlined"},
    {"Native", "native", ""},
    {"C++", "native", ""},
    {"Kernel", "kernel", ""},
    {"C1 compiled", "jvm", "c1"},
}};

FrameType type_of(std::string_view description) {
  for (const FrameType& type : kFrameTypes) {
    if (type.description == description) return type;
  }
  return {description, "jvm", ""};
}

// What async-profiler gives native functions, and no Java method can have.
constexpr std::string_view kNativeDescriptor = "()L;";
constexpr std::string_view kKernelSuffix = "_[k]";

}  // namespace

std::string StackResolver::name_of(const Value& value) const {
  std::string name = pools_->text(value);
  if (name.size() > kMaxNameBytes) name.resize(kMaxNameBytes);
  return name;
}

Result<ResolvedStack> StackResolver::stack(const Value& trace) {
  if (trace.key() == 0) return ResolvedStack{};  // the recorder's "none"
  const auto known = stacks_.find(trace.key());
  if (known != stacks_.end()) return known->second;
  const ResolvedStack made = TRY(read_stack(trace));
  stacks_.emplace(trace.key(), made);
  return made;
}

Result<ResolvedStack> StackResolver::read_stack(const Value& trace) {
  const ClassLayout* layout = metadata_->find(trace.type);
  auto cursor = pools_->find(trace.type, trace.key());
  if (layout == nullptr || !cursor) return ResolvedStack{.is_missing = true};
  ResolvedStack made;
  scratch_.clear();
  for (const Field& field : layout->fields) {
    if (field.name == "frames" && field.is_array && field.kind == FieldKind::Struct && !field.is_constant) {
      TRY(read_frames(*cursor, field));
    } else if (field.name == "truncated") {
      made.is_truncated = values_.read_one(*cursor, field).number != 0;
    } else {
      values_.skip(*cursor, field);
    }
  }
  if (!cursor->ok()) return cursor->error();
  made.stack = profile_->stacks.intern(scratch_);
  return made;
}

Result<> StackResolver::read_frames(Cursor& cursor, const Field& field) {
  const Selection selection(*metadata_->find(field.type), frame_slot);
  const size_t count = cursor.count();
  for (size_t i = 0; i < count && cursor.ok(); ++i) {
    std::array<Value, kFrameSlots> slots;
    values_.read(cursor, selection, slots);
    if (cursor.ok()) scratch_.push_back(frame(slots[kMethod], slots[kLine], slots[kType]));
    if (profile_->strings.text_bytes() > text_limit_) {
      return fail(ErrorCode::ResourceExhausted, "too many names before offset " + std::to_string(cursor.offset()),
                  "record for a shorter time");
    }
  }
  if (!cursor.ok()) return cursor.error();
  return {};
}

FrameId StackResolver::frame(const Value& method, const Value& line, const Value& type) {
  const FrameKey key{method.key(), type.key(), line.number};
  const auto known = frames_.find(key);
  if (known != frames_.end()) return known->second;
  const FrameId made = make_frame(read_method(method), line.number, name_of(type));
  frames_.emplace(key, made);
  return made;
}

StackResolver::Method StackResolver::read_method(const Value& method) const {
  Method made;
  const ClassLayout* layout = metadata_->find(method.type);
  auto cursor = pools_->find(method.type, method.key());
  if (layout == nullptr || !cursor) return made;
  std::array<Value, kMethodSlots> slots;
  values_.read(*cursor, Selection(*layout, method_slot), slots);
  made.class_name = name_of(slots[kClass]);
  made.name = name_of(slots[kName]);
  made.is_java = !made.class_name.empty() && name_of(slots[kDescriptor]) != kNativeDescriptor;
  return made;
}

// A stack keeps its depth: also a frame about which the file says nothing is one.
FrameId StackResolver::make_frame(const Method& method, int64_t line, std::string_view description) {
  FrameType type = type_of(description);
  std::string name = method.name;
  if (name.ends_with(kKernelSuffix)) {
    name.resize(name.size() - kKernelSuffix.size());
    type.kind = "kernel";
  }
  Frame frame;
  frame.kind = profile_->strings.intern(type.kind);
  if (!type.attribute.empty()) {
    frame.attributes = profile_->label_set({profile_->string_label("jvm.frame", type.attribute)});
  }
  if (method.is_java) return name_frame(frame, class_name(method.class_name) + "." + name, line);
  if (!method.class_name.empty()) {
    frame.mapping =
        profile_->mappings.intern({.filename = profile_->strings.intern(method.class_name), .has_functions = true});
  }
  return name_frame(frame, name.empty() ? "[unknown]" : name, line);
}

FrameId StackResolver::name_frame(Frame frame, std::string_view name, int64_t line) {
  Function function;
  function.name = profile_->strings.intern(name);
  const Line only{std::max<int64_t>(line, 0), 0, profile_->functions.intern(function)};
  frame.lines = profile_->lines.intern({&only, 1});
  return profile_->frames.intern(frame);
}

ThreadName StackResolver::thread(const Value& thread) {
  if (thread.key() == 0) return {};
  const auto known = threads_.find(thread.key());
  if (known != threads_.end()) return known->second;
  ThreadName made;
  const ClassLayout* layout = metadata_->find(thread.type);
  auto cursor = pools_->find(thread.type, thread.key());
  if (layout != nullptr && cursor) {
    std::array<Value, kThreadSlots> slots;
    values_.read(*cursor, Selection(*layout, thread_slot), slots);
    const std::string java_name = name_of(slots[kJavaName]);
    made.name = profile_->strings.intern(java_name.empty() ? name_of(slots[kOsName]) : java_name);
    made.os_id = std::max<int64_t>(slots[kOsId].number, 0);
  }
  threads_.emplace(thread.key(), made);
  return made;
}

StringId StackResolver::class_named(const Value& type) {
  if (type.key() == 0) return kNoString;
  const auto [known, is_new] = classes_.try_emplace(type.key());
  if (is_new) known->second = profile_->strings.intern(class_name(name_of(type)));
  return known->second;
}

StringId StackResolver::state(const Value& state) {
  if (state.key() == 0) return kNoString;
  const auto [known, is_new] = states_.try_emplace(state.key());
  if (is_new) known->second = profile_->strings.intern(state_name(name_of(state)));
  return known->second;
}

}  // namespace atys::format::jfr
