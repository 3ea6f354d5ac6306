package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.common.DurableFiles;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.server.config.Preset;
import io.quorate.server.config.StartupException;
import io.quorate.server.node.directory.StartRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A node receives an older copy of its directories, such as a snapshot of its machine. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class OlderDirectoryTest extends ClusterFixture {
  /** More than twice the longest time until the first election, if there could be one. */
  private static final Duration ATTEMPT = Duration.ofSeconds(4);

  static Stream<Preset> presets() {
    return presets("raft", "acqr");
  }

  @Test
  void theCopyIsRefusedWhileAnotherNodeRunsAndTheNodeIsReplaced() throws IOException {
    start(3, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      Path copy = copyOfN3(client);
      nodes.get(0).close();
      client.put("k", "acknowledged with the third node");
      nodes.get(2).close();
      assertRefusedAndReplaced(client, copy);
    }
  }

  /** The copy has the very start that the other node knows. */
  @Test
  void aCopyOfARunningNodeIsRefused() throws IOException {
    start(3, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      Path copy = copyOfN3(client);
      for (String part : List.of(".", "consensus", "storage")) {
        Files.copy(
            data(2).resolve(part).resolve(StartRecords.FILE),
            copy.resolve(part).resolve(StartRecords.FILE),
            StandardCopyOption.REPLACE_EXISTING);
      }
      nodes.get(0).close();
      client.put("k", "acknowledged with the third node");
      String before = recordOfN3();
      nodes.get(2).data().renewStart();
      await().atMost(TIMEOUT).until(() -> !recordOfN3().equals(before));
      nodes.get(2).close();
      assertRefusedAndReplaced(client, copy);
    }
  }

  /** A copy of the directory of n3, which then starts again. */
  private Path copyOfN3(QuorateClient client) throws IOException {
    client.put("k", "before");
    awaitTopologyOnAll(client);
    nodes.get(2).close();
    Path copy = data(2).resolveSibling("copy");
    DamagedFiles.copy(data(2), copy);
    nodes.set(2, start(2));
    awaitServing(nodes.get(2));
    return copy;
  }

  /** The start of n3 that n2 has recorded. */
  private String recordOfN3() throws IOException {
    String transport = preset.mode().engine().equals("raft") ? "transport/" : "";
    Path identities = data(1).resolve("consensus").resolve(transport + "identities");
    return Files.readAllLines(identities).stream()
        .filter(line -> line.startsWith("peer n3 "))
        .map(line -> line.split(" ")[3])
        .findFirst()
        .orElseThrow();
  }

  private void assertRefusedAndReplaced(QuorateClient client, Path copy) throws IOException {
    DurableFiles.deleteTree(data(2));
    DamagedFiles.copy(copy, data(2));

    List<ConsensusException.Fatal> failures = new CopyOnWriteArrayList<>();
    QuorateNode outdated =
        QuorateNode.start(
            cluster.config(2, cluster.size()),
            Engines.available().get(preset.mode().engine()),
            failures::add);
    nodes.set(2, outdated);
    await().atMost(TIMEOUT).until(() -> !failures.isEmpty());
    assertThat(failures.get(0))
        .hasMessageContaining("n3 has an older copy of its disk")
        .hasMessageContaining("node replace");
    outdated.close();
    assertThatThrownBy(() -> start(2))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining(data(2).toString())
        .hasMessageContaining("older copy of this node's disk");

    nodes.set(0, start(0));
    awaitServing(nodes.get(0));
    assertThat(client.get("k")).contains("acknowledged with the third node");
    DurableFiles.deleteTree(data(2));
    nodes.set(2, start(2));
    assertThat(node("replace", "127.0.0.1:" + cluster.clientPort(2)))
        .contains("has its replicas again");
    awaitServing(nodes.get(2));
  }

  /** The node that it starts with has not met the present disk since that was written to. */
  @Test
  void aDiskThatWasReplacedIsRefused() throws IOException {
    start(3, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      client.put("k", "before");
      awaitTopologyOnAll(client);
      nodes.get(2).close();
      Path former = data(2).resolveSibling("former");
      Path present = data(2).resolveSibling("present");
      Files.move(data(2), former);
      nodes.set(2, start(2));
      assertThat(node("replace", "127.0.0.1:" + cluster.clientPort(2)))
          .contains("has its replicas again");
      awaitServing(nodes.get(2));
      nodes.get(1).close();
      client.put("k", "acknowledged with the third node");
      nodes.get(0).close();
      nodes.get(2).close();

      Files.move(data(2), present);
      Files.move(former, data(2));
      nodes.set(2, start(2));
      awaitServing(nodes.get(2));
      nodes.set(1, start(1));
      awaitServing(nodes.get(1));
      assertNothingIsRead();
      nodes.get(2).close();
      nodes.set(0, start(0));
      awaitServing(nodes.get(0));
      assertThat(client.get("k")).contains("acknowledged with the third node");

      DurableFiles.deleteTree(data(2));
      Files.move(present, data(2));
      nodes.set(2, start(2));
      awaitServing(nodes.get(2));
      nodes.get(0).close();
      assertThat(client.get("k")).contains("acknowledged with the third node");
    }
  }

  /** A node that is alone serves only if its replica of region 0 has what it was told first. */
  private static void awaitTopologyOnAll(QuorateClient client) {
    GroupId metadata = new GroupId(0);
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().replicas(metadata).size() == 3
                    && isApplied(client.status(), metadata));
  }

  private void assertNothingIsRead() {
    ClientOptions options = ClientOptions.builder(cluster.seeds()).deadline(ATTEMPT).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      assertThatThrownBy(() -> client.get("k")).isInstanceOf(QuorateException.class);
    }
  }
}
