package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DurableFiles;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The disks of most replicas are restored from older copies, which lack acknowledged writes. */
class OlderDisksTest extends MembershipCase {
  @Test
  void theReplicaThatHasTheWritesKeepsThemAndDoesNotFollow() throws IOException {
    NodeId keeping = leader;
    List<NodeId> others = without(keeping).stream().map(Member::node).toList();
    cluster.stop(others);
    for (NodeId node : others) {
      copy(directory.resolve(node.value()), directory.resolve("copy-" + node));
    }
    cluster.startStopped();
    for (int i = 0; i < 20; i++) {
      cluster.propose("later " + i);
    }
    await().atMost(PATIENCE).until(() -> cluster.node(keeping).machine().commands().size() == 21);
    List<String> commands = List.copyOf(cluster.node(keeping).machine().commands());
    cluster.node(keeping).machine().flush().toCompletableFuture().join();
    long term = division(keeping).getInfo().getCurrentTerm();
    cluster.stop(cluster.firstMembers().stream().map(Member::node).toList());
    for (NodeId node : others) {
      DurableFiles.deleteTree(directory.resolve(node.value()));
      copy(directory.resolve("copy-" + node), directory.resolve(node.value()));
      cluster.start(node);
    }
    int transfers = 0;
    while (division(cluster.awaitServingId()).getInfo().getCurrentTerm() <= term + 1) {
      transferUntilDone(others.get(transfers++ % 2));
    }

    cluster.start(keeping);
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(keeping).group().view().problem().isPresent());
    assertThat(cluster.node(keeping).group().view().problem().get())
        .startsWith("does not follow " + cluster.awaitServingId())
        .contains("writes that were acknowledged are missing there");
    assertThat(cluster.propose("without them").position()).isNotNull();
    assertThat(cluster.node(keeping).machine().commands()).isEqualTo(commands);
    assertThat(division(keeping).getRaftLog().getNextIndex()).isGreaterThan(commands.size());
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> each = Files.walk(from)) {
      for (Path file : each.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
