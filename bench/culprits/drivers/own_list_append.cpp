// SPDX-License-Identifier: Apache-2.0
// A reader of records keeps them in a linked list and walks it to its end for each one that it appends.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

struct Item {
  std::string name;
  double value;
  std::unique_ptr<Item> next;
};

struct List {
  std::unique_ptr<Item> first;
  Item* last = nullptr;
};

static bool fixed = false;

void append_item(List& list, std::unique_ptr<Item> item) {
  Item* added = item.get();
  if (!list.first) {
    list.first = std::move(item);
  } else {
    Item* at = list.first.get();
    if (fixed) at = list.last;
    while (at->next) at = at->next.get();
    at->next = std::move(item);
  }
  list.last = added;
}

double parse_value(const std::string& text) { return std::stod(text); }

List read_records(int count) {
  List list;
  for (int i = 0; i < count; i++)
    append_item(list,
                std::make_unique<Item>(Item{"name" + std::to_string(i), parse_value(std::to_string(i * 1.25)), nullptr}));
  return list;
}

int main(int count, char** words) {
  fixed = count > 1 && !std::strcmp(words[1], "fixed");
  double sum = 0;
  for (int turn = 0; turn < 10; turn++) {
    List list = read_records(9000);
    for (const Item* item = list.first.get(); item; item = item->next.get()) sum += item->value;
    while (list.first) list.first = std::move(list.first->next);
  }
  std::printf("%f\n", sum);
}
