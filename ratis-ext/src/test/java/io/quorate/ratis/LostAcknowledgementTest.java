package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.DurableFiles;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A leader notices that a follower has lost entries which it had acknowledged. */
class LostAcknowledgementTest extends MembershipCase {
  @Test
  void aFollowerWithAnOlderLogIsReportedAndMayBeReplaced() throws IOException {
    NodeId follower = without(leader).get(0).node();
    Path files = directory.resolve(follower.value());
    cluster.stop(follower);
    Path copy = directory.resolve("copy");
    copy(files, copy);
    cluster.start(follower);
    for (int i = 0; i < 20; i++) {
      cluster.propose("later " + i);
    }
    await().atMost(PATIENCE).until(() -> cluster.node(follower).machine().commands().size() == 21);
    assertThat(cluster.node(leader).group().view().lost()).isEmpty();
    cluster.stop(follower);
    DurableFiles.deleteTree(files);
    copy(copy, files);
    cluster.start(follower);
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(leader).group().view().lost().equals(Set.of(follower)));
    assertThat(cluster.awaitServingId()).as("the leader of before").isEqualTo(leader);

    changeUntilDone(without(follower));
    assertThat(cluster.node(leader).group().view().lost()).isEmpty();
    cluster.replaceByEmpty(follower, without(follower));
    changeUntilDone(cluster.firstMembers());
    cluster.propose("last");
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(follower).machine().commands().contains("last"));
    assertThat(cluster.node(leader).group().view().lost()).isEmpty();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> each = Files.walk(from)) {
      for (Path file : each.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
