// SPDX-License-Identifier: Apache-2.0
// Real clusters.
#include "capture/node/cluster.h"

#include "capture/node/inspector_door.h"
#include "capture/self_recording/own_recording.h"
#include "support/live_node.h"

namespace atys::capture::node {
namespace {

using test::Deadline;
using test::kPatienceMs;
using test::Port;
using test::wait_until;

// Node.js signals the workers of a primary whose inspector opens.
class ClusterTest : public test::LiveNode {
 protected:
  std::unique_ptr<test::NodeChild> begin_cluster(const std::string& when, const std::string& port) {
    return begin("const cluster = require('cluster'); const up = () => { cluster.setupPrimary({ inspectPort: " + port +
                     " }); for (let i = 0; i < 3; i++) cluster.fork(); };"
                     "if (cluster.isPrimary) { process.on('exit', () => { for (const w of Object.values(cluster.workers)) "
                     "w.process.kill('SIGKILL'); }); process.on('SIGTERM', () => process.exit()); console.log('begun'); " +
                     when +
                     " } else { const turn = () => { let x = 1; for (let i = 0; i < 1e5; i++) x ^= x << 13; "
                     "setTimeout(turn, 1); }; turn(); console.log('works'); }",
                 {"--inspect-port=" + port});
  }
  // Ends with its workers.
  static void end(const test::NodeChild& child) {
    const auto workers = cluster_workers(child.pid());
    ::kill(child.pid(), SIGTERM);
    wait_until(Deadline::in_ms(kPatienceMs), [&] { return child.has_ended(); });
    for (const pid_t worker : workers) ::kill(worker, SIGKILL);
  }
  static size_t listeners_of(pid_t pid) {
    const auto all = linux::read_tcp_listeners(pid);
    const auto own = linux::read_socket_inodes(pid);
    if (!all.ok() || !own.ok()) return 0;
    return static_cast<size_t>(
        std::ranges::count_if(*all, [&](const linux::TcpSocket& socket) { return own->contains(socket.inode); }));
  }
};

TEST_F(ClusterTest, leaves_a_primary_alone_so_that_its_workers_are_not_touched) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const auto child = begin_cluster("up();", number);
  ASSERT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return cluster_workers(child->pid()).size() == 3; }));
  const auto attachment = attach(child->pid());
  ASSERT_FALSE(attachment.ok());
  EXPECT_NE(attachment.error().message.find("is the primary of a cluster"), std::string::npos) << attachment.error().message;
  EXPECT_EQ(child->errors(), "");
  end(*child);
}

// One process that becomes a primary in the moment that it is asked, between our look and its opening: what it does to its
// workers is undone, whether they are recorded or not.
TEST_F(ClusterTest, undoes_what_opening_a_primary_does_to_its_workers) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const auto child =
      begin_cluster("setTimeout(() => { up(); const end = Date.now() + 400; while (Date.now() < end); }, 300);", number);
  auto attachment = attach(child->pid());
  if (!attachment.ok()) GTEST_SKIP() << "too slow here to be asked before it is a primary";
  const bool has_started = start(*attachment->recorder).operator bool();
  ASSERT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] {
    const std::string said = child->output();
    size_t works = 0;
    for (size_t at = said.find("works"); at != std::string::npos; at = said.find("works", at + 1)) ++works;
    return works == 3;
  }));
  EXPECT_EQ(attachment->recorder->take(true).ok(), has_started);
  attachment->recorder.reset();
  EXPECT_EQ(listeners_of(child->pid()), 0u) << child->errors();
  for (const pid_t worker : cluster_workers(child->pid())) EXPECT_EQ(listeners_of(worker), 0u) << child->errors();
  end(*child);
}

TEST_F(ClusterTest, records_each_of_its_workers) {
  Port port;
  const std::string number = port.number();
  port.fd.reset();
  const auto child = begin_cluster("up();", number);
  ASSERT_TRUE(wait_until(Deadline::in_ms(kPatienceMs), [&] { return cluster_workers(child->pid()).size() == 3; }));
  std::vector<std::unique_ptr<OwnRecording>> recordings;
  for (const pid_t worker : cluster_workers(child->pid())) {
    wait_until(Deadline::in_ms(kPatienceMs), [&] { return attach(worker).ok(); });
    auto attachment = attach(worker);
    ASSERT_TRUE(attachment.ok()) << attachment.error().message;
    recordings.push_back(std::make_unique<OwnRecording>(worker, std::move(attachment->recorder)));
  }
  for (const auto& recording : recordings) ASSERT_TRUE(recording->is_settled(std::chrono::milliseconds(kPatienceMs)));
  for (const auto& recording : recordings) {
    spend(recording->pid(), 100);
    const auto profile = recording->take(true, std::chrono::milliseconds(kPatienceMs));
    ASSERT_TRUE(profile.ok()) << profile.error().message << child->errors();
    EXPECT_GT(profile->samples.size(), 0u);
  }
  for (const pid_t worker : cluster_workers(child->pid())) EXPECT_EQ(listeners_of(worker), 0u);
  EXPECT_EQ(child->errors().find("in use"), std::string::npos) << child->errors();
  end(*child);
}

TEST(cluster, a_worker_is_told_by_its_environment) {
  EXPECT_TRUE(is_worker_environment({"A=1", "NODE_UNIQUE_ID=3"}));
  EXPECT_FALSE(is_worker_environment({"A=NODE_UNIQUE_ID=3", "NODE_UNIQUE_IDS=3"}));
  EXPECT_TRUE(cluster_workers(::getpid()).empty());
}

}  // namespace
}  // namespace atys::capture::node
