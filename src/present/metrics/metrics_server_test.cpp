// SPDX-License-Identifier: Apache-2.0
#include "present/metrics/metrics_server.h"

#include <gtest/gtest.h>

namespace atys::present::metrics {

// What fails right after it was started ends with it: a server that is told to stop before it serves must not go on.
TEST(metrics_server, may_end_as_soon_as_it_has_begun) {
  for (int i = 0; i < 200; ++i) {
    const auto server = MetricsServer::start({}, [] { return std::string(); });
    ASSERT_TRUE(server.ok());
    EXPECT_GT((*server)->port(), 0);
  }
}

}  // namespace atys::present::metrics
