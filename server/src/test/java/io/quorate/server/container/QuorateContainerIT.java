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

/** The container that applications use in their tests, and what the image says of itself. */
@EnabledIfDockerAvailable
@Timeout(240)
class QuorateContainerIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String USER = "10001";

  @Test
  void eachServesAtTheAddressItNamesAndKeepsToItself() {
    try (QuorateContainer one = new QuorateContainer(QuorateImage.name());
        QuorateContainer other = new QuorateContainer(QuorateImage.name())) {
      Startables.deepStart(one, other).join();
      try (QuorateClient ofOne = QuorateClient.connect(one.options());
          QuorateClient ofOther = QuorateClient.connect(other.options())) {
        ofOne.put("greeting", "hello");

        assertThat(ofOne.get("greeting")).contains("hello");
        assertThat(ofOne.status().nodes())
            .singleElement()
            .satisfies(only -> assertThat(only.address()).hasToString(one.clientAddress()));
        assertThat(ofOther.get("greeting")).isEmpty();
      }
    }
  }

  @Test
  void theExampleRuns() {
    assertThat(ContainerExample.greet(QuorateImage.name())).isEqualTo("hello");
  }

  @Test
  void itTurnsHealthyRunsWithoutPrivilegesAndStopsInGoodOrder()
      throws IOException, InterruptedException {
    try (QuorateContainer node = new QuorateContainer(QuorateImage.name())) {
      // The check is the image's; here it is asked more often.
      node.withCreateContainerCmdModifier(
          command ->
              command.withHealthcheck(
                  new HealthCheck().withInterval(Duration.ofSeconds(2).toNanos())));
      node.start();

      await("healthy").atMost(PATIENCE).until(node::isHealthy);
      ExecResult status = node.execInContainer("cat", "/proc/1/status");
      assertThat(status.getStdout()).containsPattern("Uid:\\s+" + USER + "\\s+" + USER);

      node.getDockerClient().stopContainerCmd(node.getContainerId()).withTimeout(30).exec();
      await("its last words").atMost(PATIENCE).until(() -> node.getLogs().contains("Stopped"));
    }
  }
}
