// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/constant_pools.h"

#include <array>

namespace atys::format::jfr {

namespace {

// A class's symbol's string's constant.
constexpr int kMaxDepth = 4;

// What holds the text in a constant that is a name.
int text_slot(std::string_view field) { return field == "string" || field == "name" || field == "description" ? 0 : -1; }

}  // namespace

Result<ConstantPools> ConstantPools::index(std::string_view file, const Chunk& chunk, const Metadata& metadata) {
  ConstantPools pools(file, chunk, metadata);
  TRY(for_each_event(file, chunk, [&](const Event& event) -> Result<> {
    if (event.type != kCheckpointEvent) return {};
    return pools.add_checkpoint(event);
  }));
  return pools;
}

Result<> ConstantPools::add_checkpoint(const Event& event) {
  Cursor cursor = event.fields(file_, chunk_);
  for (int i = 0; i < 3; ++i) cursor.long_value();  // start, duration, way to the checkpoint before
  cursor.byte();                                    // why it was written
  const size_t count = cursor.count();
  for (size_t i = 0; i < count && cursor.ok(); ++i) add_pool(cursor);
  if (!cursor.ok()) return cursor.error();
  return {};
}

void ConstantPools::add_pool(Cursor& cursor) {
  const auto type = static_cast<uint64_t>(cursor.long_value());
  const size_t count = cursor.count();
  if (count == 0) return;
  const ClassLayout* layout = metadata_->find(type);
  if (layout == nullptr) return cursor.fail_with("constants of a class that the metadata do not describe");
  IdMap<size_t>& pool = pools_[type];
  for (size_t i = 0; i < count && cursor.ok(); ++i) {
    const auto key = static_cast<uint64_t>(cursor.long_value());
    pool[key] = cursor.offset();
    values_.skip_constant(cursor, *layout);
  }
}

std::optional<Cursor> ConstantPools::find(uint64_t type, uint64_t key) const {
  const auto pool = pools_.find(type);
  if (pool == pools_.end()) return std::nullopt;
  const auto found = pool->second.find(key);
  if (found == pool->second.end()) return std::nullopt;
  return Cursor(file_, found->second, chunk_.end, chunk_.encoding);
}

std::string ConstantPools::text(const Value& value, int depth) const {
  if (value.form == ValueForm::Text) return value.text;
  if (value.form != ValueForm::Constant || depth > kMaxDepth) return {};
  const ClassLayout* layout = metadata_->find(value.type);
  auto cursor = find(value.type, value.key());
  if (!cursor || layout == nullptr) return {};
  if (layout->kind == FieldKind::String) {
    StringValue string = cursor->string();
    return string.is_constant ? std::string{} : std::move(string.text);
  }
  std::array<Value, 1> slot;
  values_.read(*cursor, Selection(*layout, text_slot), slot);
  return text(slot[0], depth + 1);
}

}  // namespace atys::format::jfr
