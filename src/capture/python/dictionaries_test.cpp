// SPDX-License-Identifier: Apache-2.0
#include "capture/python/dictionaries.h"

#include <gtest/gtest.h>

#include "support/fake_objects.h"

namespace atys::capture::python {
namespace {

using test::FakeObjects;
using test::FakePython;
using Keys = FakeObjects::Keys;

constexpr size_t kMost = 100;

struct World {
  explicit World(uint32_t minor, FakePython::Build build = FakePython::Build::Default)
      : python(minor, build), objects(python), dictionaries(python.memory(), python.layout()) {}

  FakePython python;
  FakeObjects objects;
  Dictionaries dictionaries;
};

// Also those where objects begin with more.
template <typename Check>
void in_every_version(Check check) {
  for (uint32_t minor = kOldestMinor; minor <= kNewestMinor; ++minor) {
    SCOPED_TRACE(minor);
    World world(minor);
    check(world);
  }
  SCOPED_TRACE("free-threaded");
  World world(14, FakePython::Build::FreeThreaded);
  check(world);
}

TEST(dictionaries, find_what_a_name_stands_for) {
  in_every_version([](World& of) {
    const uint64_t one = of.objects.text("one");
    const uint64_t two = of.objects.text("two");
    for (const Keys kind : {Keys::Any, Keys::Names}) {
      const uint64_t dictionary = of.objects.dictionary(kind, {{one, 11}, {two, 22}});
      EXPECT_EQ(of.dictionaries.find(dictionary, "one", kMost), 11U);
      EXPECT_EQ(of.dictionaries.find(dictionary, "two", kMost), 22U);
      EXPECT_EQ(of.dictionaries.find(dictionary, "six", kMost), 0U);
      EXPECT_EQ(of.dictionaries.find(dictionary, "two", 1), 0U) << "beyond the most";
    }
  });
}

TEST(dictionaries, have_their_items_behind_an_index_of_any_width) {
  in_every_version([](World& of) {
    const uint64_t name = of.objects.text("name");
    for (const uint32_t log_of_size : {3U, 7U, 8U, 15U, 16U}) {
      const uint64_t dictionary = of.objects.dictionary(Keys::Any, {{name, 0x77, 5}}, log_of_size);
      EXPECT_EQ(of.dictionaries.find(dictionary, "name", kMost), 0x77U) << log_of_size;
      const auto items = of.dictionaries.items(dictionary, kMost);
      ASSERT_EQ(items.size(), 1U) << log_of_size;
      EXPECT_EQ(items[0].hash, 5U);
    }
  });
}

TEST(dictionaries, leave_out_what_was_deleted) {
  World of(12);
  const uint64_t dictionary = of.objects.dictionary(Keys::Any, {{1, 11, 1}, {0, 0, static_cast<uint64_t>(-1)}, {3, 33, 3}});
  const auto items = of.dictionaries.items(dictionary, kMost);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[1].value, 33U);
}

TEST(dictionaries, may_share_their_keys_with_others) {
  in_every_version([](World& of) {
    const uint64_t keys = of.objects.keys(Keys::Names, {{of.objects.text("one"), 0}, {of.objects.text("two"), 0}});
    const uint64_t first = of.objects.dictionary_of(keys, of.objects.values({11, 22}));
    const uint64_t second = of.objects.dictionary_of(keys, of.objects.values({111, 222}));
    EXPECT_EQ(of.dictionaries.find(first, "two", kMost), 22U);
    EXPECT_EQ(of.dictionaries.find(second, "two", kMost), 222U);
  });
}

TEST(dictionaries, find_attributes_in_an_object_s_own_dictionary) {
  in_every_version([](World& of) {
    const uint64_t dictionary = of.objects.dictionary(Keys::Names, {{of.objects.text("_name"), 0x77}});
    EXPECT_EQ(of.dictionaries.attribute(of.objects.instance_with(dictionary), "_name"), 0x77U);
    EXPECT_EQ(of.dictionaries.attribute(of.objects.instance_with_dictionary_behind(dictionary), "_name"), 0x77U);
    EXPECT_EQ(of.dictionaries.attribute(of.objects.instance_with(dictionary), "_other"), 0U);
    EXPECT_EQ(of.dictionaries.attribute(of.objects.instance_with(0), "_name"), 0U);
  });
}

TEST(dictionaries, find_attributes_that_are_in_the_order_of_their_class) {
  in_every_version([](World& of) {
    if (of.python.layout().minor < 11) return;
    const std::vector<uint64_t> names{of.objects.text("first"), of.objects.text("_name"), of.objects.text("later")};
    const uint64_t object = of.objects.instance_of_names(names, {1, 0x77, 3});
    EXPECT_EQ(of.dictionaries.attribute(object, "_name"), 0x77U);
    EXPECT_EQ(of.dictionaries.attribute(object, "later"), 3U);
    EXPECT_EQ(of.dictionaries.attribute(object, "never"), 0U);
  });
}

// Names may be added to the class after the object was made.
TEST(dictionaries, do_not_look_behind_the_values_that_an_object_has_room_for) {
  World of(13);
  const std::vector<uint64_t> names{of.objects.text("first"), of.objects.text("_name")};
  const uint64_t object = of.objects.instance_of_names(names, {1});
  of.python.memory().put<uint64_t>(object + of.objects.head() + 16, 0x99);
  EXPECT_EQ(of.dictionaries.attribute(object, "_name"), 0U);
}

TEST(dictionaries, find_attributes_in_the_dictionary_once_values_inside_are_not_valid) {
  for (const uint32_t minor : {13U, 14U, 15U}) {
    World of(minor);
    const uint64_t name = of.objects.text("_name");
    const uint64_t object = of.objects.instance_of_names({name}, {0x11});
    of.python.memory().put(object - 24, of.objects.dictionary(Keys::Names, {{name, 0x22}}));
    EXPECT_EQ(of.dictionaries.attribute(object, "_name"), 0x11U) << minor;
    of.python.memory().put<uint64_t>(object + of.objects.head(), 1);
    EXPECT_EQ(of.dictionaries.attribute(object, "_name"), 0x22U) << minor;
  }
}

TEST(dictionaries, are_not_what_is_none) {
  in_every_version([](World& of) {
    const uint64_t text = of.objects.text("no dictionary");
    for (const uint64_t nowhere : {uint64_t{0}, uint64_t{8}, ~uint64_t{0}, uint64_t{0x7f0000000000}, text}) {
      EXPECT_FALSE(of.dictionaries.is_dictionary(nowhere));
      EXPECT_TRUE(of.dictionaries.items(nowhere, kMost).empty());
      EXPECT_EQ(of.dictionaries.find(nowhere, "one", kMost), 0U);
      EXPECT_EQ(of.dictionaries.attribute(nowhere, "one"), 0U);
      EXPECT_TRUE(of.dictionaries.items(of.objects.dictionary_of(nowhere), kMost).empty());
    }
    EXPECT_EQ(of.dictionaries.text(of.objects.dictionary(Keys::Any, {})), std::nullopt);
    EXPECT_EQ(of.dictionaries.text(text), "no dictionary");
  });
}

TEST(dictionaries, whose_sizes_make_no_sense_are_empty) {
  in_every_version([](World& of) {
    const bool is_new = of.python.layout().minor >= 11;
    const uint64_t name = of.objects.text("name");
    for (const uint64_t bad : {uint64_t{3}, uint64_t{0}, uint64_t{1} << 40, ~uint64_t{0}}) {
      const uint64_t keys = of.objects.keys(Keys::Any, {{name, 1, 1}});
      if (is_new)
        of.python.memory().put<uint8_t>(keys + 9, bad == 3 ? 33 : 0xff);
      else
        of.python.memory().put(keys + 8, bad);
      EXPECT_TRUE(of.dictionaries.items(of.objects.dictionary_of(keys), kMost).empty()) << bad;
    }
    const uint64_t keys = of.objects.keys(Keys::Any, {{name, 1, 1}});
    of.python.memory().put(keys + (is_new ? 24 : 32), ~uint64_t{0});
    EXPECT_TRUE(of.dictionaries.items(of.objects.dictionary_of(keys), kMost).empty());
  });
}

// The same name may lie elsewhere in another dictionary, and another name where one was.
TEST(dictionaries, remember_where_a_name_was_but_look_again) {
  World of(12);
  const uint64_t name = of.objects.text("_name");
  EXPECT_EQ(of.dictionaries.find(of.objects.dictionary(Keys::Names, {{name, 1}}), "_name", kMost), 1U);
  const uint64_t twin = of.objects.text("_name");
  EXPECT_EQ(of.dictionaries.find(of.objects.dictionary(Keys::Names, {{twin, 2}}), "_name", kMost), 2U);
  of.python.memory().put_bytes(twin + of.python.layout().text_ascii_data, "_else");
  EXPECT_EQ(of.dictionaries.find(of.objects.dictionary(Keys::Names, {{twin, 3}, {name, 4}}), "_name", kMost), 4U);
}

TEST(dictionaries, find_nothing_any_more_when_all_reads_are_spent) {
  World of(12);
  std::vector<FakeObjects::Item> items(3 * Dictionaries::kMostReads, {of.objects.text("nine char"), 1});
  items.back().key = of.objects.text("threading");
  const uint64_t large = of.objects.dictionary(Keys::Names, items);
  of.python.memory().reads = 0;
  EXPECT_EQ(of.dictionaries.find(large, "threading", items.size()), 0U);
  EXPECT_TRUE(of.dictionaries.is_spent());
  EXPECT_LE(of.python.memory().reads, Dictionaries::kMostReads + 8);
  const uint64_t small = of.objects.dictionary(Keys::Names, {items.back()});
  EXPECT_EQ(of.dictionaries.find(small, "threading", kMost), 0U);
  of.dictionaries.allow_more();
  EXPECT_EQ(of.dictionaries.find(small, "threading", kMost), 1U);
}

}  // namespace
}  // namespace atys::capture::python
