package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static io.quorate.consensus.contract.ContractCluster.proposeAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.Merged;
import io.quorate.quorum.QuorumMerge;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract of an engine that offers {@link QuorumReads}. */
public abstract class QuorumReadsContract extends ContractFixture {
  @Test
  void anyQuorumOfRepliesCoversAcknowledgedWrites() throws IOException {
    useShared();
    cluster.propose("first");
    for (Node node : cluster.running().values()) {
      await().atMost(PATIENCE).until(() -> sendsReplies(node));
    }
    for (int i = 0; i < 50; i++) {
      // A command is the name of the key that it writes.
      KeyScope scope = KeyScope.key(Key.utf8("k" + i));
      ProposeResult outcome = cluster.propose("k" + i);
      List<ReadReply<Void>> replies = new ArrayList<>();
      for (Node node : cluster.running().values()) {
        QuorumReads reads = node.group().control(QuorumReads.class).orElseThrow();
        replies.add(eventually(() -> reads.reply(scope, Position.NONE)));
        Position readIndex = eventually(() -> reads.readIndex(scope, QuorumRule.BARRIER));
        assertThat(readIndex.covers(outcome.position()))
            .as("%s after %s", readIndex, outcome)
            .isTrue();
      }
      for (int left = 0; left < 3; left++) {
        List<ReadReply<Void>> quorum = new ArrayList<>(replies);
        quorum.remove(left);
        assertThat(barrier(QuorumMerge.merge(quorum)).covers(outcome.position()))
            .as("%s after %s", quorum, outcome)
            .isTrue();
      }
    }
  }

  private static boolean sendsReplies(Node node) {
    return node.group()
        .control(QuorumReads.class)
        .orElseThrow()
        .reply(KeyScope.key(Key.utf8("k")), Position.NONE)
        .handle((reply, failure) -> failure == null)
        .toCompletableFuture()
        .join();
  }

  /**
   * An acknowledged write may be applied on one replica only. It must then be pending on a
   * majority; otherwise a reader that queries the other replicas misses it.
   */
  @Test
  void anAcknowledgedWriteThatIsNotAppliedIsPending() throws IOException {
    useShared();
    cluster.propose("first");
    for (Node node : cluster.running().values()) {
      await().atMost(PATIENCE).until(() -> sendsReplies(node));
    }
    NodeId writer = cluster.awaitServingId();
    List<Node> readers =
        cluster.running().entrySet().stream()
            .filter(entry -> !entry.getKey().equals(writer))
            .map(Map.Entry::getValue)
            .toList();
    List<CompletableFuture<Void>> gates =
        readers.stream().map(node -> node.machine().exhaustCapacity()).toList();
    // The first of these may still be delivered to the readers.
    List<String> commands = List.of("a", "b", "hot", "c", "hot", "d");
    Map<String, Position> last = new HashMap<>();
    for (String command : commands) {
      last.put(command, proposeAt(cluster.node(writer), command).join().position());
    }
    Position hot = last.get("hot");
    KeyScope scope = KeyScope.key(Key.utf8("hot"));
    List<ReadReply<Void>> replies = new ArrayList<>();
    for (Node reader : readers) {
      QuorumReads reads = reader.group().control(QuorumReads.class).orElseThrow();
      replies.add(eventually(() -> reads.reply(scope, Position.NONE)));
    }
    assertThat(replies).noneMatch(reply -> reply.applied().covers(hot));
    assertThat(barrier(QuorumMerge.merge(replies)).covers(hot)).as("%s", replies).isTrue();
    assertThat(QuorumMerge.merge(replies, QuorumRule.NEWEST))
        .as("the result of the rule that uses applied positions only")
        .isInstanceOfSatisfying(
            Merged.Value.class, result -> assertThat(result.at().covers(hot)).isFalse());
    CompletableFuture<Position> readIndex =
        readers
            .get(0)
            .group()
            .control(QuorumReads.class)
            .orElseThrow()
            .readIndex(scope, QuorumRule.BARRIER)
            .toCompletableFuture();
    gates.forEach(gate -> gate.complete(null));
    assertThat(readIndex.join().covers(hot)).isTrue();
  }

  private static Position barrier(Merged<Void> merged) {
    if (merged instanceof Merged.Value<Void> result) {
      return result.at();
    }
    assertThat(merged).isInstanceOf(Merged.Wait.class);
    return ((Merged.Wait<Void>) merged).barrier();
  }

  @Test
  void readsSucceedWithAQuorumOfReplicas() throws IOException {
    useShared();
    ProposeResult before = cluster.propose("k");
    cluster.stop(
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(cluster.awaitServingId()))
            .findFirst()
            .orElseThrow());
    for (Node node : cluster.running().values()) {
      QuorumReads reads = node.group().control(QuorumReads.class).orElseThrow();
      for (QuorumRule rule : QuorumRule.values()) {
        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .until(
                () ->
                    reads
                        .readIndex(KeyScope.key(Key.utf8("k")), rule)
                        .toCompletableFuture()
                        .join()
                        .covers(before.position()));
      }
    }
  }

  @Test
  void aReplyAtAPositionWaitsUntilThatIsExecuted() throws IOException {
    useShared();
    ProposeResult first = cluster.propose("a");
    Node node = cluster.awaitServing();
    QuorumReads reads = node.group().control(QuorumReads.class).orElseThrow();
    Position next = new Position(first.position().epoch(), first.position().index() + 1);
    CompletableFuture<ReadReply<Void>> later =
        reads.reply(KeyScope.key(Key.utf8("k")), next).toCompletableFuture();
    cluster.propose("b");
    assertThat(later.join().applied().covers(next)).isTrue();
  }
}
