package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.common.DurableFiles;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A cluster is built anew under its former name. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class FoundedAnewTest extends ClusterFixture {
  static Stream<Preset> presets() {
    return presets("raft", "acqr");
  }

  /** The former cluster had a region that the present one has not. */
  @Test
  void aClientGoesOnAndANodeOfTheFormerClusterIsRefused() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      GroupId child = client.splitRegion("m".getBytes(UTF_8));
      awaitServed(client, child);
      client.put("a", "former");
      client.put("z", "former");
      stop();
      Path former = data(2).resolveSibling("former");
      Files.move(data(2), former);
      DurableFiles.deleteTree(data(0));
      DurableFiles.deleteTree(data(1));
      startAll();
      assertThat(client.get("z")).isEmpty();
      client.put("z", "present");
      client.put("a", "present");
      assertThat(client.get("z")).contains("present");

      nodes.get(2).close();
      Path present = data(2).resolveSibling("present");
      Files.move(data(2), present);
      Files.move(former, data(2));
      nodes.set(2, start(2));
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () -> assertThat(problem(client, "n3")).contains("founded at another time"));
      assertThat(client.get("z")).contains("present");

      nodes.get(2).close();
      DurableFiles.deleteTree(data(2));
      Files.move(present, data(2));
      nodes.set(2, start(2));
      awaitServing(nodes.get(2));
      nodes.get(1).close();
      client.put("z", "with n3");
    }
  }

  private void startAll() {
    for (int node = 0; node < nodes.size(); node++) {
      nodes.set(node, start(node));
    }
    nodes.forEach(ClusterFixture::awaitServing);
  }

  /** Why a node does not respond to a client. */
  private static String problem(QuorateClient client, String node) {
    return client.status().nodes().stream()
        .filter(report -> report.id().equals(Optional.of(new NodeId(node))))
        .flatMap(report -> report.problem().stream())
        .findFirst()
        .orElse("");
  }
}
