package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.NodeToNode;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes have other ports after a restart, as docs/operations.md has it. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class MovedNodeTest extends ClusterFixture {
  static Stream<Preset> presets() {
    return presets("raft", "acqr");
  }

  /** The files of n1 and n2 keep the former ports of n3, and n1 is restarted with its file. */
  @Test
  void aNodeThatHasMovedServesWithOthersWhoseFilesAreUnchanged() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      client.put("before", "v");
      long version = versionWithAllRegistered(client);
      move(2);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () -> assertThat(client.status().nodes()).hasSize(3).allMatch(NodeReport::isUp));
      assertThat(client.status().nodes())
          .extracting(report -> report.address().port())
          .containsExactly(cluster.clientPort(0), cluster.clientPort(1), cluster.clientPort(2));
      // n3 is one of a majority.
      nodes.get(1).close();
      client.put("without n2", "v");
      // Nothing but its own disk tells n1 where n3 is.
      nodes.get(0).close();
      nodes.set(0, start(0));
      awaitServing(nodes.get(0));
      client.put("n1 restarted", "v");
      nodes.set(1, start(1));
      awaitServing(nodes.get(1));
      for (String key : new String[] {"before", "without n2", "n1 restarted"}) {
        assertThat(client.get(key)).contains("v");
      }
      // It was registered once: the nodes agree, and nobody has changed it back.
      await()
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(versions(client)).containsExactly(version + 1));
    }
  }

  /** The former ports of all nodes are registered, and the present ones only in the files. */
  @Test
  void allNodesMoveAtOnceIfTheirFilesListThePresentPorts() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      client.put("k", "v");
    }
    stop();
    for (int node = 0; node < 3; node++) {
      cluster.move(node);
    }
    cluster.listPresentPorts();
    for (int node = 0; node < 3; node++) {
      nodes.set(node, start(node));
    }
    nodes.forEach(ClusterFixture::awaitServing);
    try (QuorateClient client = client()) {
      assertThat(client.get("k")).contains("v");
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(client.status().nodes())
                      .hasSize(3)
                      .allMatch(NodeReport::isUp)
                      .extracting(report -> report.address().port())
                      .containsExactly(
                          cluster.clientPort(0), cluster.clientPort(1), cluster.clientPort(2)));
    }
  }

  private void move(int node) {
    nodes.get(node).close();
    cluster.move(node);
    nodes.set(node, start(node));
    awaitServing(nodes.get(node));
  }

  /** The first start of a cluster ends with a registration of each node. */
  private long versionWithAllRegistered(QuorateClient client) {
    NodeAddress first = NodeAddress.parse("127.0.0.1:" + cluster.clientPort(0));
    return await()
        .atMost(TIMEOUT)
        .until(
            () -> NodeToNode.topology(client.async(), List.of(first)).join().orElseThrow(),
            topology ->
                topology.getNodesCount() == 3
                    && topology.getNodesList().stream().allMatch(Node::getMergesRegions))
        .getVersion();
  }

  private static Set<Long> versions(QuorateClient client) {
    return client.status().nodes().stream()
        .flatMap(report -> report.state().stream())
        .map(NodeState::topologyVersion)
        .collect(Collectors.toSet());
  }
}
