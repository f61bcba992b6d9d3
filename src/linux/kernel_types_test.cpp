// SPDX-License-Identifier: Apache-2.0
#include "linux/kernel_types.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace atys::linux {
namespace {

struct FreeTypes {
  void operator()(btf* types) const { btf__free(types); }
};
using Types = std::unique_ptr<btf, FreeTypes>;

Types no_types() { return Types(btf__new_empty()); }

const btf_type* type_named(const btf& types, const char* name) {
  const int id = btf__find_by_name_kind(&types, name, BTF_KIND_STRUCT);
  return id < 0 ? nullptr : btf__type_by_id(&types, static_cast<uint32_t>(id));
}

const btf_member* field_named(const btf& types, const btf_type* type, const char* name) {
  for (uint32_t i = 0; i < btf_vlen(type); ++i)
    if (std::strcmp(btf__name_by_offset(&types, btf_members(type)[i].name_off), name) == 0) return &btf_members(type)[i];
  return nullptr;
}

Types cut(const btf& wanted, const btf& all) {
  const auto bytes = cut_types(wanted, all);
  EXPECT_TRUE(bytes.ok());
  return Types(bytes.ok() ? btf__new(bytes->data(), static_cast<uint32_t>(bytes->size())) : nullptr);
}

TEST(KernelTypes, of_a_structure_the_wanted_fields_are_kept_where_they_are) {
  const Types wanted = no_types();
  const int number = btf__add_int(wanted.get(), "int", 4, BTF_INT_SIGNED);
  btf__add_struct(wanted.get(), "task", 8);
  btf__add_field(wanted.get(), "pid", number, 0, 0);
  btf__add_struct(wanted.get(), "only_ours", 4);
  btf__add_field(wanted.get(), "pid", number, 0, 0);

  const Types all = no_types();
  const int all_number = btf__add_int(all.get(), "int", 4, BTF_INT_SIGNED);
  const int alias = btf__add_typedef(all.get(), "pid_t", all_number);
  btf__add_struct(all.get(), "task", 128);
  btf__add_field(all.get(), "state", all_number, 0, 0);
  btf__add_field(all.get(), "pid", alias, 512, 0);
  btf__add_struct(all.get(), "unrelated", 4);
  btf__add_field(all.get(), "pid", all_number, 0, 0);

  const Types found = cut(*wanted, *all);
  ASSERT_NE(found, nullptr);
  const btf_type* task = type_named(*found, "task");
  ASSERT_NE(task, nullptr);
  EXPECT_EQ(task->size, 128u);
  EXPECT_EQ(btf_vlen(task), 1);
  const btf_member* pid = field_named(*found, task, "pid");
  ASSERT_NE(pid, nullptr);
  EXPECT_EQ(pid->offset, 512u);
  EXPECT_EQ(btf_kind(btf__type_by_id(found.get(), pid->type)), BTF_KIND_INT);
  EXPECT_EQ(type_named(*found, "unrelated"), nullptr);
  EXPECT_EQ(type_named(*found, "only_ours"), nullptr);
}

TEST(KernelTypes, fields_in_nameless_parts_and_in_structures_within_are_found) {
  const Types wanted = no_types();
  const int number = btf__add_int(wanted.get(), "int", 4, BTF_INT_SIGNED);
  const int counter = btf__add_struct(wanted.get(), nullptr, 4);
  btf__add_field(wanted.get(), "counter", number, 0, 0);
  const int pointer = btf__add_ptr(wanted.get(), 0);
  btf__add_struct(wanted.get(), "signals", 16);
  btf__add_field(wanted.get(), "live", counter, 0, 0);
  btf__add_field(wanted.get(), "next", pointer, 64, 0);

  const Types all = no_types();
  const int all_number = btf__add_int(all.get(), "int", 4, BTF_INT_SIGNED);
  const int all_counter = btf__add_struct(all.get(), nullptr, 8);
  btf__add_field(all.get(), "other", all_number, 0, 0);
  btf__add_field(all.get(), "counter", all_number, 32, 0);
  const int alias = btf__add_typedef(all.get(), "counted", all_counter);
  const int all_pointer = btf__add_ptr(all.get(), all_counter);
  const int nameless = btf__add_union(all.get(), nullptr, 8);
  btf__add_field(all.get(), "next", all_pointer, 0, 0);
  btf__add_struct(all.get(), "signals", 64);
  btf__add_field(all.get(), "live", alias, 64, 0);
  btf__add_field(all.get(), nullptr, nameless, 256, 0);

  const Types found = cut(*wanted, *all);
  ASSERT_NE(found, nullptr);
  const btf_type* signals = type_named(*found, "signals");
  ASSERT_NE(signals, nullptr);
  const btf_member* live = field_named(*found, signals, "live");
  const btf_member* next = field_named(*found, signals, "next");
  ASSERT_TRUE(live != nullptr && next != nullptr);
  EXPECT_EQ(live->offset, 64u);
  EXPECT_EQ(next->offset, 256u);
  const btf_type* inner = btf__type_by_id(found.get(), live->type);
  ASSERT_EQ(btf_kind(inner), BTF_KIND_STRUCT);
  EXPECT_EQ(btf_vlen(inner), 1);
  EXPECT_EQ(btf_members(inner)[0].offset, 32u);
  EXPECT_EQ(btf_kind(btf__type_by_id(found.get(), next->type)), BTF_KIND_PTR);
}

TEST(KernelTypes, a_field_of_another_nature_is_left_out) {
  const Types wanted = no_types();
  const int number = btf__add_int(wanted.get(), "int", 4, BTF_INT_SIGNED);
  btf__add_struct(wanted.get(), "task", 4);
  btf__add_field(wanted.get(), "pid", number, 0, 0);

  const Types all = no_types();
  const int all_number = btf__add_int(all.get(), "int", 4, BTF_INT_SIGNED);
  const int inner = btf__add_struct(all.get(), "inner", 4);
  btf__add_field(all.get(), "value", all_number, 0, 0);
  btf__add_struct(all.get(), "task", 4);
  btf__add_field(all.get(), "pid", inner, 0, 0);

  const Types found = cut(*wanted, *all);
  ASSERT_NE(found, nullptr);
  const btf_type* task = type_named(*found, "task");
  ASSERT_NE(task, nullptr);
  EXPECT_EQ(btf_vlen(task), 0);
}

}  // namespace
}  // namespace atys::linux
