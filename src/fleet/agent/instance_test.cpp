// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/instance.h"

#include <gtest/gtest.h>

namespace atys::fleet {

namespace {

const std::string kId(64, 'a');

}  // namespace

TEST(instance, is_the_pod_else_the_container_else_the_process) {
  linux::ProcessInfo process{.pid = 77};
  EXPECT_EQ(instance_of(process, {}).id, "77");
  process.cgroup = "/docker/" + kId;
  EXPECT_EQ(instance_of(process, {"HOSTNAME=box"}).id, "aaaaaaaaaaaa");
  process.cgroup = "/kubepods/pod1/" + kId;
  const Instance pod = instance_of(process, {"HOSTNAME=shop-6d8f-x2", "POD_NAMESPACE=prod"});
  EXPECT_EQ(pod.id, "shop-6d8f-x2");
  EXPECT_EQ(pod.pod_namespace, "prod");
  EXPECT_EQ(pod.labels().size(), 4u);
}

TEST(instance, versions_are_what_the_environment_says) {
  const linux::ProcessInfo process{.pid = 77};
  EXPECT_EQ(instance_of(process, {"OTEL_RESOURCE_ATTRIBUTES=a=b,service.version=2.1,c=d", "VERSION=9"}).version, "2.1");
  EXPECT_EQ(instance_of(process, {"SERVICE_VERSION=3"}).version, "3");
  EXPECT_EQ(instance_of(process, {"VERSIONS=3", "VERSION"}).version, "");
  EXPECT_EQ(instance_of(process, {"VERSION=" + std::string(10000, 'x')}).version.size(), 200u);
}

}  // namespace atys::fleet
