// SPDX-License-Identifier: Apache-2.0
#include "capture/node/inspector_options.h"

#include <gtest/gtest.h>

#include "capture/node/signal_handler.h"

namespace atys::capture::node {
namespace {

InspectorOptions of(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  words.insert(words.begin(), "node");
  return parse_inspector_options(words, environment);
}

TEST(inspector_options, knows_the_port_however_it_is_said) {
  EXPECT_EQ(of({"app.js"}).port, 9229);
  EXPECT_EQ(of({"--inspect-port=1234", "app.js"}).port, 1234);
  EXPECT_EQ(of({"--inspect_port", "127.0.0.1:1234", "app.js"}).port, 1234);
  EXPECT_EQ(of({"--debug-port=0", "app.js"}).port, 0);
  EXPECT_EQ(of({"--inspect", "app.js"}).port, 9229);
  EXPECT_EQ(of({"--inspect=0.0.0.0:77", "app.js"}).port, 77);
  EXPECT_EQ(of({"-r", "x.js", "--inspect-brk=[::1]:78", "app.js"}).port, 78);
  EXPECT_EQ(of({"app.js"}, {"A=b", "NODE_OPTIONS=--max-old-space-size=50 --inspect-port=79"}).port, 79);
  EXPECT_EQ(of({"--inspect-port=80", "app.js"}, {"NODE_OPTIONS=--inspect-port=79"}).port, 80);
}

TEST(inspector_options, does_not_take_the_programs_options_for_nodes) {
  EXPECT_EQ(of({"app.js", "--inspect-port=1234"}).port, 9229);
  EXPECT_FALSE(of({"app.js", "--inspect"}).is_open);
  EXPECT_EQ(of({"--inspect-port=99999999"}).port, 9229);
  EXPECT_EQ(of({"--inspect-port"}).port, 9229);
}

TEST(inspector_options, knows_what_is_open_and_what_is_forbidden) {
  EXPECT_TRUE(of({"--inspect=0", "app.js"}).is_open);
  EXPECT_TRUE(of({"--disable-sigusr1", "app.js"}).has_signal_off);
  EXPECT_FALSE(of({"app.js"}).has_signal_off);
  EXPECT_EQ(parse_inspector_options({}, {}).port, 9229);
}

TEST(signal_handler, sees_in_the_masks_what_the_signal_would_do) {
  const std::string rest = "Name:\tnode\nSigBlk:\t0000000000000000\n";
  EXPECT_EQ(parse_signal_use(rest + "SigIgn:\t0000000001001000\nSigCgt:\t0000000100004602\n"), SignalUse::OpensInspector);
  EXPECT_EQ(parse_signal_use(rest + "SigIgn:\t0000000001001000\nSigCgt:\t0000000100004402\n"), SignalUse::None);
  EXPECT_EQ(parse_signal_use(rest + "SigIgn:\t0000000000000200\nSigCgt:\t0000000000000000\n"), SignalUse::Blocked);
  EXPECT_EQ(parse_signal_use("SigBlk:\t0000000000000200\nSigCgt:\t0000000100004602\n"), SignalUse::Blocked);
  EXPECT_EQ(parse_signal_use(""), SignalUse::None);
}

}  // namespace
}  // namespace atys::capture::node
