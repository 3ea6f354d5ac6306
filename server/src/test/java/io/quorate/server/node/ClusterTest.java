package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import io.quorate.server.testing.Presets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operations on a cluster under each preset, through the real client. All tests of a preset share
 * one cluster.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterTest extends ClusterFixture {
  private static final String NONE = "none";
  private static final String SHARED = "shared";

  /** Each way to replicate and to read; all combinations where slow tests run. */
  static Stream<Preset> presets() {
    return slowTestsRun()
        ? Presets.linearizable().stream()
        : presets("raft buc craft quorum acqr", "");
  }

  @BeforeParameterizedClassInvocation
  void start() throws IOException {
    start(3, "cluster.split-keys = [ \"h\", \"p\" ]");
  }

  @AfterParameterizedClassInvocation
  @Override
  void stop() {
    super.stop();
  }

  @Test
  void threeNodesServeRegionsAndSpreadTheirLeaders() {
    try (QuorateClient client = client()) {
      for (String key : List.of("apple", "kiwi", "zebra")) {
        client.put(key, key + "!");
      }
      for (String key : List.of("apple", "kiwi", "zebra")) {
        assertThat(client.get(key)).contains(key + "!");
      }
      assertThat(client.incrementAndGet("kiwi-count", 5)).isEqualTo(5);
      byte[] counter = "kiwi-count".getBytes(StandardCharsets.UTF_8);
      assertThat(client.incrementAndGet(counter, 2, true)).isEqualTo(7);
      assertThat(client.async().scan(KeyRange.ALL, 10).join())
          .extracting(row -> new String(row.key(), StandardCharsets.UTF_8))
          .filteredOn(key -> !key.equals(SHARED))
          .containsExactly("apple", "kiwi", "kiwi-count", "zebra");

      String[] expected =
          hasLeaders() ? new String[] {"n1", "n2", "n3"} : new String[] {NONE, NONE, NONE};
      await()
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(leaders(client)).containsExactlyInAnyOrder(expected));
    }
  }

  @Test
  void leadershipIsTransferredToTheRequestedNode() {
    GroupId region = new GroupId(2);
    try (QuorateClient client = client()) {
      if (!hasLeaders()) {
        assertThatThrownBy(() -> client.transferLeader(region, new NodeId("n3")))
            .isInstanceOf(InvalidRequestException.class)
            .hasMessageContaining("no leader");
        return;
      }
      await()
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(leaders(client)).contains("n1", "n2", "n3"));
      String before = leaders(client).get(region.value() - 1);
      String other = before.equals("n1") ? "n2" : "n1";
      transferLeader(client, region, other);
      client.put("kiwi-after", "moved");
      assertThatThrownBy(() -> client.transferLeader(region, new NodeId("n9")))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("n9");
      transferLeader(client, region, before);
      client.delete("kiwi-after");
    }
  }

  /**
   * Transfers a leadership until the cluster reports it: the nodes, which distribute the leaders
   * meanwhile, may take it back.
   */
  private static void transferLeader(QuorateClient client, GroupId region, String to) {
    await()
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptionsInstanceOf(UnavailableException.class)
        .until(
            () -> {
              client.transferLeader(region, new NodeId(to));
              return leaders(client).get(region.value() - 1).equals(to);
            });
  }

  private boolean hasLeaders() {
    ConsensusEngineProvider engine = Engines.available().get(preset.mode().engine());
    return engine.capabilities(cluster.config(0).engine()).hasLeader();
  }

  private static List<String> leaders(QuorateClient client) {
    return client.async().status().join().nodes().stream()
        .flatMap(node -> node.state().stream())
        .limit(1)
        .flatMap(state -> state.regions().stream())
        .map(region -> region.leader().map(NodeId::value).orElse(NONE))
        .toList();
  }

  @Test
  void readsByAllClientsReturnTheLatestWrite() {
    List<QuorateClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        for (QuorumReads quorumReads : QuorumReads.values()) {
          // A client prefers one of the replicas, chosen at random.
          clients.add(
              QuorateClient.connect(
                  ClientOptions.builder(cluster.seeds())
                      .deadline(TIMEOUT)
                      .quorumReads(quorumReads)
                      .build()));
        }
      }
      for (int i = 0; i < 4 * clients.size(); i++) {
        String value = Integer.toString(i);
        clients.get(i % clients.size()).put(SHARED, value);
        for (QuorateClient client : clients) {
          assertThat(client.get(SHARED)).contains(value);
        }
      }
    } finally {
      clients.forEach(QuorateClient::close);
    }
  }
}
