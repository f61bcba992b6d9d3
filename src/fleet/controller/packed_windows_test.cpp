// SPDX-License-Identifier: Apache-2.0
// Agents that send what changed, over loopback, to a controller that is started anew, forgets, or never knew how.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "fleet/controller/controller.h"
#include "fleet/controller/doors.h"
#include "fleet/spool_sender.h"
#include "fleet/window_labels.h"
#include "fleet/wire/dcz.h"
#include "fleet/wire/grpc_link.h"
#include "store/embedded/embedded_store.h"
#include "support/fleet_windows.h"
#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'790'000'040 * kSecond;

// A controller with its door, which can go away and come back.
class Site {
 public:
  explicit Site(size_t most_kept_bytes = size_t{1} << 20) : most_kept_bytes_(most_kept_bytes) { open("127.0.0.1:0"); }

  void restart() {
    const std::string address = "127.0.0.1:" + std::to_string(server_->port());
    close();
    open(address);
  }
  void close() {
    server_.reset();
    controller_.reset();
  }

  std::unique_ptr<ControllerLink> link(const std::string& node) {
    auto opened = open_grpc_link(
        {.address = "127.0.0.1:" + std::to_string(server_->port()), .timeout_ns = 60 * static_cast<uint64_t>(kSecond)});
    CHECK(opened.ok());
    auto made = opened.take();
    CHECK(made->report({.node = node, .sender = std::string(16, '\1')}).ok());
    return made;
  }

  Controller& controller() { return *controller_; }
  ControllerStatus status() { return *controller_->status(); }
  std::string text() {
    const auto merged =
        controller_->profile({.service = "shop", .from_ns = kStart - kSecond, .to_ns = kStart + 3600 * kSecond});
    return merged.ok() ? test::to_text(merged->profile) : merged.error().message;
  }

 private:
  void open(const std::string& address) {
    auto store = store::open_embedded_store({.folder = folder_.path() + "/store"});
    CHECK(store.ok());
    auto opened = Controller::open(
        {.folder = folder_.path(), .name = "root", .most_kept_bytes = most_kept_bytes_, .now_ns = [] { return kStart; }},
        store.take());
    CHECK(opened.ok());
    controller_ = opened.take();
    auto started = GrpcServer::start({.address = address}, grpc_methods(*controller_), controller_->door());
    CHECK(started.ok());
    server_ = started.take();
  }

  size_t most_kept_bytes_;
  test::ScratchFolder folder_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<GrpcServer> server_;
};

std::string window(int sequence, const std::string& node = "web-1", const std::string& leaf = "f") {
  return test::otlp_bytes(test::SentWindow{.stacks = "main;" + leaf + " 1\n",
                                           .attributes = {{std::string(kServiceName), "shop"},
                                                          {std::string(kHostName), node},
                                                          {std::string(kSender), node + "0011223344556677"},
                                                          {std::string(kSequence), std::to_string(sequence)}},
                                           .start_ns = kStart + sequence * kSecond,
                                           .duration_ns = kSecond});
}

}  // namespace

TEST(packed_windows, of_two_agents_arrive_and_what_follows_is_packed) {
  Site site;
  const auto first = site.link("web-1"), second = site.link("web-2");
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(first->send(window(i, "web-1")).ok());
    ASSERT_TRUE(second->send(window(i, "web-2", "g")).ok());
  }
  EXPECT_EQ(site.text(), "main;f 3\nmain;g 3\n");
  EXPECT_EQ(site.status().packed_messages, 6u);
  EXPECT_EQ(site.status().kept.messages, 2u);
  EXPECT_EQ(site.status().kept.missed, 0u);
}

TEST(packed_windows, a_controller_that_was_started_anew_gets_the_next_one_whole) {
  Site site;
  const auto link = site.link("web-1");
  ASSERT_TRUE(link->send(window(1)).ok());
  ASSERT_TRUE(link->send(window(2)).ok());
  site.restart();
  Result<> sent = link->send(window(3));
  for (int i = 0; i < 1000 && !sent.ok() && !reason_to_drop(sent.error()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until gRPC tries to connect again
    sent = link->send(window(3));
  }
  ASSERT_TRUE(sent.ok()) << sent.error().message;
  EXPECT_EQ(site.status().kept.missed, 1u);
  ASSERT_TRUE(link->send(window(4)).ok());
  EXPECT_EQ(site.status().kept.missed, 1u);
  EXPECT_EQ(site.text(), "main;f 4\n");
}

TEST(packed_windows, a_controller_without_room_gets_every_one_whole) {
  Site site(0);
  const auto link = site.link("web-1");
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(link->send(window(i)).ok());
  EXPECT_EQ(site.text(), "main;f 3\n");
  EXPECT_EQ(site.status().kept.bytes, 0u);
}

TEST(packed_windows, sent_again_and_out_of_order_are_kept_once) {
  Site site;
  const auto link = site.link("web-1");
  for (const int sequence : {1, 4, 2, 4, 3, 1}) ASSERT_TRUE(link->send(window(sequence)).ok());
  EXPECT_EQ(site.text(), "main;f 4\n");
  EXPECT_EQ(site.status().duplicates, 2u);
}

TEST(packed_windows, a_spool_of_an_agent_that_ended_is_sent_by_the_next) {
  Site site;
  const test::ScratchFolder folder;
  {
    Spool spool = Spool::open(folder.path(), 1 << 20).take();
    for (int i = 1; i <= 3; ++i) ASSERT_TRUE(spool.put(window(i)).ok());
  }
  Spool spool = Spool::open(folder.path(), 1 << 20).take();
  const auto link = site.link("web-1");
  ASSERT_TRUE(SpoolSender(spool, *link).send(1, [] { return true; }).ok());
  EXPECT_EQ(spool.state().windows, 0u);
  EXPECT_EQ(site.text(), "main;f 3\n");
  EXPECT_EQ(site.status().packed_messages, 3u);
}

TEST(packed_windows, what_the_controller_rejects_is_no_ground_to_build_on) {
  Site site;
  const auto link = site.link("web-1");
  ASSERT_TRUE(link->send(window(1)).ok());
  const auto refused = link->send(window(-200 * 24 * 3600));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(reason_to_drop(refused.error()));
  ASSERT_TRUE(link->send(window(2)).ok());
  EXPECT_EQ(site.text(), "main;f 2\n");
  EXPECT_EQ(site.status().kept.missed, 0u);
}

TEST(packed_windows, bad_ones_are_refused_and_leave_nothing) {
  Site site;
  const std::string otlp = window(1);
  const DczDictionary unknown{otlp, std::string(kHashBytes, 'x')};
  EXPECT_EQ(site.controller().receive_packed(pack_dcz(otlp, &unknown)).error().code, ErrorCode::NotFound);
  const std::string whole = pack_dcz(otlp, nullptr);
  EXPECT_EQ(site.controller().receive_packed(whole.substr(0, whole.size() - 1)).error().code, ErrorCode::InvalidInput);
  EXPECT_EQ(site.controller().receive_packed({}).error().code, ErrorCode::InvalidInput);
  const std::string bomb = pack_dcz(std::string(kMostDczBytes, '\0'), nullptr);
  EXPECT_EQ(site.controller().receive_packed(bomb).error().code, ErrorCode::InvalidInput);  // unpacked, but no OTLP
  EXPECT_EQ(site.status().windows, 0u);
  EXPECT_EQ(site.status().kept.messages, 0u);
  EXPECT_EQ(site.status().waiting_bytes, 0u);
  EXPECT_TRUE(site.controller().receive_packed(whole).ok());
}

TEST(packed_windows, what_does_not_fit_beside_what_waits_comes_again_later) {
  Site site;
  const std::string whole = pack_dcz(window(1), nullptr);
  auto filling = site.controller().door().admit(site.controller().door().most_bytes());
  ASSERT_TRUE(filling.ok());
  EXPECT_EQ(site.controller().receive_packed(whole).error().code, ErrorCode::Unavailable);
  filling = fail(ErrorCode::Internal, "given back");
  EXPECT_TRUE(site.controller().receive_packed(whole).ok());
}

TEST(packed_windows, a_receiver_that_does_not_ask_for_them_gets_plain_otlp_as_it_was) {
  std::vector<std::string> taken;
  Admission door(1 << 20);
  const auto server = GrpcServer::start({},
                                        {{std::string(kExportMethod),
                                          [&](const std::string& bytes) -> Result<std::string> {
                                            taken.push_back(bytes);
                                            return std::string();
                                          }}},
                                        door)
                          .take();
  const auto link = open_grpc_link({.address = "127.0.0.1:" + std::to_string(server->port())}).take();
  EXPECT_TRUE(link->report({.node = "web-1"}).ok());
  for (int i = 1; i <= 2; ++i) EXPECT_TRUE(link->send(window(i)).ok());
  EXPECT_EQ(taken, (std::vector<std::string>{window(1), window(2)}));
}

TEST(packed_windows, a_controller_that_no_longer_takes_them_gets_plain_otlp) {
  int plain = 0;
  Admission door(1 << 20);
  const auto server =
      GrpcServer::start({},
                        {{std::string(kReportMethod),
                          [](const std::string&) -> Result<std::string> { return encode(Orders{.takes_packed = true}); }},
                         {std::string(kExportMethod),
                          [&](const std::string&) -> Result<std::string> {
                            ++plain;
                            return std::string();
                          }}},
                        door)
          .take();
  const auto link = open_grpc_link({.address = "127.0.0.1:" + std::to_string(server->port())}).take();
  ASSERT_TRUE(link->report({.node = "web-1"}).ok());
  EXPECT_TRUE(link->send(window(1)).ok());
  EXPECT_EQ(plain, 1);
}

}  // namespace atys::fleet
