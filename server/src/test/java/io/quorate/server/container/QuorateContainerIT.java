package io.quorate.server.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.model.HealthCheck;
import io.quorate.client.QuorateClient;
import io.quorate.client.testing.QuorateContainer;
import io.quorate.server.example.ContainerExample;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.junit.jupiter.EnabledIfDockerAvailable;
import org.testcontainers.lifecycle.Startables;

/** The container that applications use in their tests; health, user and stop of the image. */
@EnabledIfDockerAvailable
@Timeout(240)
class QuorateContainerIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String USER = "10001";

  @Test
  void eachContainerServesItsOwnDataAtItsReportedAddress() {
    try (QuorateContainer first = new QuorateContainer(QuorateImage.name());
        QuorateContainer second = new QuorateContainer(QuorateImage.name())) {
      Startables.deepStart(first, second).join();
      try (QuorateClient firstClient = QuorateClient.connect(first.options());
          QuorateClient secondClient = QuorateClient.connect(second.options())) {
        firstClient.put("greeting", "hello");

        assertThat(firstClient.get("greeting")).contains("hello");
        assertThat(firstClient.status().nodes())
            .singleElement()
            .satisfies(only -> assertThat(only.address()).hasToString(first.clientAddress()));
        assertThat(secondClient.get("greeting")).isEmpty();
      }
    }
  }

  @Test
  void theExampleRuns() {
    assertThat(ContainerExample.greet(QuorateImage.name())).isEqualTo("hello");
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
}
