package io.quorate.server.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.Ports.Binding;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.NodeReport;
import io.quorate.testing.QuorateContainer;
import io.quorate.testing.QuorateContainers;
import io.quorate.testing.example.ContainerExample;
import io.quorate.testing.example.ContainersExample;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.lifecycle.Startables;

/** The container that applications use in their tests; health, user and stop of the image. */
@RequiresImage
@Timeout(240)
class QuorateContainerIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String USER = "10001";

  @Test
  void eachContainerServesItsOwnDataAtAPortOfItsOwn() {
    try (QuorateContainer first = new QuorateContainer(QuorateImage.name());
        QuorateContainer second = new QuorateContainer(QuorateImage.name())) {
      Startables.deepStart(first, second).join();
      try (QuorateClient firstClient = QuorateClient.connect(first.options());
          QuorateClient secondClient = QuorateClient.connect(second.options())) {
        firstClient.put("greeting", "hello");

        assertThat(firstClient.get("greeting")).contains("hello");
        assertThat(firstClient.status().nodes()).singleElement().matches(NodeReport::isUp);
        assertThat(secondClient.get("greeting")).isEmpty();
      }
    }
  }

  @Test
  void theExamplesRun() {
    assertThat(ContainerExample.greet(QuorateImage.name())).isEqualTo("hello");
    assertThat(ContainersExample.greet(QuorateImage.name())).isEqualTo("hello");
  }

  @Test
  void portsAreFreeOnesAndOtherMachinesDoNotReachThem() {
    try (QuorateContainer node = new QuorateContainer(QuorateImage.name())) {
      node.start();
      assertThat(node.getMappedPort(7001)).isNotEqualTo(7001);
      assumeThat(InetAddress.getLoopbackAddress().getHostAddress()).isEqualTo(node.getHost());
      assertThat(node.getContainerInfo().getNetworkSettings().getPorts().getBindings().values())
          .filteredOn(Objects::nonNull)
          .hasSize(2)
          .allSatisfy(
              bindings ->
                  assertThat(bindings).extracting(Binding::getHostIp).containsOnly("127.0.0.1"));
    }
  }

  @Test
  void aClusterOfContainersServesFromItsOtherNodesWhileOneIsPaused() {
    try (QuorateContainers cluster = new QuorateContainers(QuorateImage.name(), 3)) {
      cluster.start();
      try (QuorateClient connected = QuorateClient.connect(cluster.options())) {
        QuorateClient client = connected.withDeadline(TIMEOUT);
        assertThat(client.status().nodes()).hasSize(cluster.size()).allMatch(NodeReport::isUp);
        for (int number = 0; number < cluster.size(); number++) {
          String id = cluster.node(number).getContainerId();
          client.put("account", "of " + number);
          cluster.node(number).getDockerClient().pauseContainerCmd(id).exec();
          assertThat(client.get("account")).contains("of " + number);
          client.put("user", "of " + number);
          cluster.node(number).getDockerClient().unpauseContainerCmd(id).exec();
          assertThat(client.get("user")).contains("of " + number);
        }
      }
    }
  }

  @Test
  void theImageBecomesHealthyRunsWithoutPrivilegesAndStopsGracefully()
      throws IOException, InterruptedException {
    try (QuorateContainer node = new QuorateContainer(QuorateImage.name())) {
      // The health check of the image, run more often.
      node.withCreateContainerCmdModifier(
          command ->
              command.withHealthcheck(
                  new HealthCheck().withInterval(Duration.ofSeconds(2).toNanos())));
      node.start();

      await("healthy").atMost(TIMEOUT).until(node::isHealthy);
      ExecResult status = node.execInContainer("cat", "/proc/1/status");
      assertThat(status.getStdout()).containsPattern("Uid:\\s+" + USER + "\\s+" + USER);

      node.getDockerClient().stopContainerCmd(node.getContainerId()).withTimeout(30).exec();
      await("the log line of the stop")
          .atMost(TIMEOUT)
          .until(() -> node.getLogs().contains("Stopped"));
    }
  }

  /** As operations.md starts it; user ids of platforms are in group 0. */
  @Test
  void theImageRunsAsAnyUserAndWritesToItsVolumeAndTmpAlone()
      throws IOException, InterruptedException {
    try (QuorateContainer node = new QuorateContainer(QuorateImage.name())) {
      node.withCreateContainerCmdModifier(
          command -> {
            command.withUser("12345:0");
            Objects.requireNonNull(command.getHostConfig())
                .withReadonlyRootfs(true)
                .withTmpFs(Map.of("/tmp", "exec"))
                .withCapDrop(Capability.ALL)
                .withSecurityOpts(List.of("no-new-privileges"));
          });
      node.start();

      try (QuorateClient client = QuorateClient.connect(node.options())) {
        client.put("greeting", "hello");
        assertThat(client.get("greeting")).contains("hello");
      }
      ExecResult status = node.execInContainer("cat", "/proc/1/status");
      assertThat(status.getStdout()).containsPattern("Uid:\\s+12345\\s+12345");
      assertThat(node.execInContainer("mkdir", "/opt/quorate/other").getExitCode()).isNotZero();
    }
  }
}
