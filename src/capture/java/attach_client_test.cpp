// SPDX-License-Identifier: Apache-2.0
#include "capture/java/attach_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "support/live_java.h"

namespace atys::capture::java {
namespace {

using test::JavaProgram;

TEST(attach_client, reads_answers_and_refuses_what_is_none) {
  EXPECT_EQ(parse_reply("0\nreturn code: 7\n")->text, "return code: 7\n");
  EXPECT_EQ(parse_reply("101\nno such operation")->code, 101);
  EXPECT_EQ(parse_reply("-1")->code, -1);
  EXPECT_FALSE(parse_reply("").ok());
  EXPECT_FALSE(parse_reply("ok\n").ok());
  EXPECT_FALSE(parse_reply("99999999999\n").ok());
}

TEST(java_process, reads_releases_and_switches) {
  EXPECT_EQ(release_of("1.8.0_181-b13"), 8);
  EXPECT_EQ(release_of("17.0.15+6-Debian"), 17);
  EXPECT_EQ(release_of("26-ea+3"), 26);
  EXPECT_EQ(release_of(""), 0);
  const auto flags = flags_in({"java", "-XX:+PreserveFramePointer", "-XX:+DisableAttachMechanism",
                               "-XX:-DisableAttachMechanism", "-XX:+Other", "-XX:", "-Xrs"});
  EXPECT_TRUE(flags.at("PreserveFramePointer"));
  EXPECT_FALSE(flags.at("DisableAttachMechanism"));
  EXPECT_TRUE(flags.at("ReduceSignalUsage"));
  EXPECT_EQ(flags.size(), 3u);
}

class AttachedJava : public test::LiveJava {};

TEST_P(AttachedJava, answers_commands_and_nothing_is_left) {
  JavaProgram program(folder_, options());
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  auto client = AttachClient::create(*process);
  ASSERT_TRUE(client.ok()) << client.error().message;
  for (int i = 0; i < 3; ++i) {
    const auto reply = client->command("jcmd", {"VM.version", "", ""});
    ASSERT_TRUE(reply.ok()) << reply.error().message;
    EXPECT_EQ(reply->code, 0);
    EXPECT_NE(reply->text.find("JDK " + std::to_string(process->release())), std::string::npos) << reply->text;
  }
  EXPECT_FALSE(std::filesystem::exists(program.temp() + "/.attach_pid" + std::to_string(program.own_pid())));
  EXPECT_TRUE(program.is_running());
  EXPECT_EQ(program.output(), "");
}

TEST_P(AttachedJava, tells_flags_from_memory) {
  JavaProgram program(folder_, options({"-XX:+PreserveFramePointer"}));
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  EXPECT_TRUE(process->has(kFramePointers));
  EXPECT_FALSE(process->has(kDisableAttach, true));
  EXPECT_FALSE(process->has(kReducedSignals, true));
  EXPECT_GE(process->release(), 8);
}

TEST_P(AttachedJava, that_takes_no_orders_is_left_alone) {
  // From a file, so that no command line tells; a container does not see the file.
  const std::string file = folder_.write("flags", "+DisableAttachMechanism\n");
  JavaProgram::Options silent = options({"-XX:Flags=" + file, "-XX:+UnlockDiagnosticVMOptions"});
  if (silent.is_contained) silent.flags = {"-XX:+DisableAttachMechanism"};
  JavaProgram program(folder_, silent);
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  const auto client = AttachClient::create(*process);
  ASSERT_FALSE(client.ok());
  EXPECT_NE(client.error().message.find("DisableAttachMechanism"), std::string::npos);
  EXPECT_EQ(program.output(), "");
}

TEST_P(AttachedJava, without_signals_is_not_killed) {
  JavaProgram program(folder_, options({"-Xrs"}));
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  auto client = AttachClient::create(*process);
  ASSERT_TRUE(client.ok()) << client.error().message;
  // Such a machine listens from its start; it cannot be woken when its socket is gone.
  auto reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  ASSERT_EQ(::unlink((program.temp() + "/.java_pid" + std::to_string(program.own_pid())).c_str()), 0);
  reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_FALSE(reply.ok());
  EXPECT_NE(reply.error().hint.find("-Xrs"), std::string::npos);
  EXPECT_TRUE(program.is_running());
}

TEST_P(AttachedJava, whose_socket_was_swept_away_listens_again) {
  JavaProgram program(folder_, options());
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  auto client = AttachClient::create(*process);
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE(client->command("jcmd", {"VM.version", "", ""}).ok());
  ASSERT_EQ(::unlink((program.temp() + "/.java_pid" + std::to_string(program.own_pid())).c_str()), 0);
  const auto reply = client->command("jcmd", {"VM.version", "", ""});
  EXPECT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(program.output(), "");
}

TEST_P(AttachedJava, that_is_stopped_is_not_waited_for) {
  JavaProgram program(folder_, options());
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  auto client = AttachClient::create(*process);
  ASSERT_TRUE(client.ok());
  ::kill(program.pid(), SIGSTOP);
  for (int i = 0; i < 1000 && linux::read_process(program.pid())->state != 'T'; ++i) ::usleep(1000);
  const auto reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_FALSE(reply.ok());
  EXPECT_NE(reply.error().message.find("stopped"), std::string::npos);
  ::kill(program.pid(), SIGCONT);
  EXPECT_EQ(program.output(), "");
}

TEST_P(AttachedJava, of_another_user_answers_root) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  JavaProgram::Options other = options();
  other.user = 12345;
  JavaProgram program(folder_, other);
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  EXPECT_EQ(process->info.uid, 12345u);
  auto client = AttachClient::create(*process);
  ASSERT_TRUE(client.ok()) << client.error().message;
  const auto reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->code, 0);
}

// Pids come round, and a machine that was killed leaves its socket.
TEST_P(AttachedJava, of_another_user_listens_where_root_left_a_dead_socket) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  JavaProgram::Options other = options();
  other.user = 12345;
  JavaProgram program(folder_, other);
  const auto process = look(program.pid());
  ASSERT_TRUE(process.ok()) << process.error().message;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = program.temp() + "/.java_pid" + std::to_string(program.own_pid());
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ::unlink(path.c_str());
  const UniqueFd dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  auto client = AttachClient::create(*process);
  ASSERT_TRUE(client.ok()) << client.error().message;
  const auto reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->code, 0);
}

INSTANTIATE_TEST_SUITE_P(each, AttachedJava, testing::ValuesIn(test::java_homes()), test::home_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AttachedJava);

// A process that is no Java machine but has a socket of the right name.
class PlantedSocket : public testing::Test {
 protected:
  JavaProcess self() const {
    JavaProcess process;
    process.info = *linux::read_process(::getpid());
    return process;
  }
  // Pids come round: an earlier process of this number, a machine that was killed, may have left its own.
  PlantedSocket() { ::unlink(path_.c_str()); }
  ~PlantedSocket() override { ::unlink(path_.c_str()); }
  std::string path_ = "/tmp/.java_pid" + std::to_string(::getpid());
};

TEST_F(PlantedSocket, that_is_a_fifo_or_a_link_is_not_opened) {
  auto client = AttachClient::create(self());
  ASSERT_TRUE(client.ok()) << client.error().message;
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  // Nobody handles SIGQUIT here: it is not sent, or this test would be dead.
  auto reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_FALSE(reply.ok());
  EXPECT_NE(reply.error().message.find("SIGQUIT"), std::string::npos) << reply.error().message;
  EXPECT_EQ(reply.error().code, ErrorCode::Unavailable);  // it may only just have started
  ::unlink(path_.c_str());
  ASSERT_EQ(::symlink("/dev/zero", path_.c_str()), 0);
  reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_FALSE(reply.ok());
}

// A process that would handle SIGQUIT but does not get to it, as one that is frozen.
class DeafProcess {
 public:
  DeafProcess() {
    int ready[2];
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      sigset_t quit;
      sigemptyset(&quit);
      sigaddset(&quit, SIGQUIT);
      ::sigprocmask(SIG_BLOCK, &quit, nullptr);
      std::signal(SIGQUIT, [](int) {});
      ::unlink(("/tmp/.attach_pid" + std::to_string(::getpid())).c_str());  // of an earlier process of this number
      ::unlink(("/tmp/.java_pid" + std::to_string(::getpid())).c_str());
      (void)!::write(ready[1], "y", 1);
      for (;;) ::pause();
    }
    char answer = 0;
    (void)!::read(ready[0], &answer, 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~DeafProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::unlink(trigger().c_str());
  }
  std::string trigger() const { return "/tmp/.attach_pid" + std::to_string(pid_); }
  pid_t pid_ = -1;
};

TEST(attach_client, leaves_the_file_for_a_signal_that_is_still_to_come_but_not_for_one_that_never_will) {
  for (const bool ends : {false, true}) {
    const DeafProcess deaf;
    JavaProcess process;
    process.info = *linux::read_process(deaf.pid_);
    auto client = AttachClient::create(process, {.wake_ns = ends ? 20'000'000'000u : 50'000'000u, .answer_ns = 50'000'000});
    ASSERT_TRUE(client.ok()) << client.error().message;
    std::thread ender([&] {
      if (!ends) return;
      for (int i = 0; i < 5000 && !std::filesystem::exists(deaf.trigger()); ++i) ::usleep(1000);
      ::kill(deaf.pid_, SIGKILL);
    });
    const auto reply = client->command("jcmd", {"VM.version", "", ""});
    ender.join();
    ASSERT_FALSE(reply.ok());
    EXPECT_EQ(reply.error().code, ends ? ErrorCode::NotFound : ErrorCode::Unavailable) << reply.error().message;
    EXPECT_EQ(std::filesystem::exists(deaf.trigger()), !ends);
  }
}

TEST_F(PlantedSocket, that_never_answers_is_given_up_when_the_end_comes_nearer) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 5), 0);
  constexpr uint64_t kNever = 3600'000'000'000;
  const auto latest = std::make_shared<std::atomic<uint64_t>>(UINT64_MAX);
  auto client = AttachClient::create(self(), {.wake_ns = kNever, .answer_ns = kNever, .latest_ns = latest});
  ASSERT_TRUE(client.ok()) << client.error().message;
  std::thread other([&] {
    const UniqueFd fd(::accept(listener.get(), nullptr, nullptr));
    latest->store(1);
    char byte = 0;
    while (::read(fd.get(), &byte, 1) > 0) continue;  // until it has hung up
  });
  const auto reply = client->command("jcmd", {"VM.version", "", ""});
  other.join();
  ASSERT_FALSE(reply.ok());
  EXPECT_TRUE(reply.error().message.starts_with("no answer")) << reply.error().message;
  const auto late = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::Unavailable) << late.error().message;
}

// This process as a machine that answers badly.
TEST_F(PlantedSocket, that_never_answers_or_never_ends_is_given_up) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 5), 0);
  auto client = AttachClient::create(self(), {.wake_ns = 50'000'000, .answer_ns = 50'000'000});
  ASSERT_TRUE(client.ok()) << client.error().message;
  auto reply = client->command("jcmd", {"VM.version", "", ""});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::Unavailable) << reply.error().message;
  client = AttachClient::create(self());
  std::thread endless([&] {
    ::close(::accept(listener.get(), nullptr, nullptr));  // the one that gave up
    const UniqueFd fd(::accept(listener.get(), nullptr, nullptr));
    const std::string much(65536, '1');
    while (::send(fd.get(), much.data(), much.size(), MSG_NOSIGNAL) > 0) continue;
  });
  reply = client->command("jcmd", {"VM.version", "", ""});
  endless.join();
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::ResourceExhausted) << reply.error().message;
}

TEST_F(PlantedSocket, of_another_process_is_not_spoken_to) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const bool listens = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && ::listen(fd, 5) == 0;
    (void)!::write(ready[1], listens ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  auto client = AttachClient::create(self());
  ASSERT_TRUE(client.ok());
  const auto reply = client->command("jcmd", {"VM.version", "", ""});
  EXPECT_FALSE(reply.ok());
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace atys::capture::java
