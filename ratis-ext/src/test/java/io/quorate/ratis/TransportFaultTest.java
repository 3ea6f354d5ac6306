package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DurableFiles;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The port of a node for the others does not respond, or its identities are lost. */
class TransportFaultTest {
  private static final List<NodeId> NODES =
      List.of(new NodeId("n1"), new NodeId("n2"), new NodeId("n3"));

  @TempDir Path directory;

  private ContractCluster cluster;

  @BeforeEach
  void create() {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings("engine", FastSettings.with(Map.of())),
            directory,
            NODES.size());
  }

  @AfterEach
  void closeAndCheck() {
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  /** The port of a node accepts connections and does not respond. */
  @Test
  void writesAndQuorumReadsContinueBesideANodeThatDoesNotRespond() throws IOException {
    NodeId unresponsive = NODES.get(2);
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      cluster.advertise(
          unresponsive, InetSocketAddress.createUnresolved("127.0.0.1", listener.getLocalPort()));
      cluster.startAll();
      for (int i = 0; i < 20; i++) {
        String key = "k" + i;
        Position written = cluster.propose(key).position();
        for (NodeId node : NODES.subList(0, 2)) {
          assertThat(quorumRead(node, key).covers(written)).isTrue();
        }
      }
    }
  }

  /** It would not know which disks of the others were replaced. */
  @Test
  void aNodeThatHasLostTheIdentitiesOfOthersDoesNotStart() throws IOException {
    cluster.startAll();
    cluster.propose("first");
    NodeId other = NODES.get(1);
    cluster.stop(other);
    Path transport = directory.resolve(other.value()).resolve("transport");
    Path moved = directory.resolve("moved");
    Files.move(transport, moved);
    assertRefused(other, "is missing beside other files");
    Files.createDirectory(transport);
    assertRefused(other, "is missing beside other files");
    Files.writeString(transport.resolve("identities"), "damaged");
    assertRefused(other, "is damaged");

    DurableFiles.deleteTree(transport);
    Files.move(moved, transport);
    cluster.start(other);
    cluster.propose("second");
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(other).machine().commands().contains("second"));
  }

  private void assertRefused(NodeId node, String why) {
    assertThatThrownBy(() -> cluster.start(node))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.resolve(node.value()).resolve("transport").toString())
        .hasMessageContaining(why)
        .hasMessageContaining("node replace");
  }

  /**
   * Repeats a read that is unavailable: one whose barrier is not reached in time falls back to the
   * leader, whose transport may be the one that does not respond.
   */
  private Position quorumRead(NodeId at, String key) {
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(
            failure -> failure.getCause() instanceof ConsensusException.Unavailable)
        .until(() -> quorumReadOnce(at, key), position -> true);
  }

  private Position quorumReadOnce(NodeId at, String key) {
    return cluster
        .node(at)
        .group()
        .control(QuorumReads.class)
        .orElseThrow()
        .readIndex(KeyScope.key(Key.utf8(key)), QuorumRule.BARRIER)
        .toCompletableFuture()
        .join();
  }
}
