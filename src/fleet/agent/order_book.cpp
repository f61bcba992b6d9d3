// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/order_book.h"

#include "base/byte_sink.h"
#include "base/byte_source.h"

namespace atys::fleet {

namespace {

constexpr size_t kMostBytes = 16 << 20;

Result<Orders> load(const std::string& path) {
  const std::unique_ptr<ByteSource> source = TRY(open_source(path));
  return decode_orders(as_text(TRY(source->read_all(kMostBytes))));
}

Result<> save(const std::string& path, const Orders& orders) {
  const std::unique_ptr<ByteSink> sink = TRY(open_sink(path));
  TRY(sink->write(encode(orders)));
  return sink->commit();
}

}  // namespace

OrderBook::OrderBook(std::string path) : path_(std::move(path)) {
  if (const Result<Orders> orders = load(path_); orders.ok()) read(*orders);
}

Result<> OrderBook::follow(const Orders& orders) {
  if (orders.tasks == texts_) return {};
  read(orders);
  return save(path_, orders);
}

void OrderBook::read(const Orders& orders) {
  texts_ = orders.tasks;
  tasks_.clear();
  not_understood_.clear();
  for (const std::string& text : texts_) {
    Result<Task> task = parse_task(text, "a task of the controller");
    if (task.ok())
      tasks_.push_back(task.take());
    else
      not_understood_.push_back({.task = task_name_in(text), .trouble = "not understood: " + task.error().message});
  }
}

}  // namespace atys::fleet
