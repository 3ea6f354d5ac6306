package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The contract of an engine that offers {@link Membership}. */
public abstract class MembershipContract extends ContractFixture {
  private static final Duration TRANSFER_TIMEOUT = Duration.ofSeconds(5);

  @Test
  void aDeadMemberIsReplacedByANewOneThatCatchesUp() throws IOException {
    start(3);
    cluster.propose("before");
    List<Member> first = cluster.firstMembers();
    NodeId dead = first.get(2).node();
    cluster.stop(dead);
    cluster.propose("without");
    Member joiner = cluster.startJoiner("n4");
    List<Member> members = List.of(first.get(0), first.get(1), joiner);
    change(members);
    List<String> expected = new ArrayList<>(List.of("before", "without"));
    for (int i = 0; i < 50; i++) {
      cluster.propose("after" + i);
      expected.add("after" + i);
    }
    Node joined = cluster.node(joiner.node());
    awaitProposalsAt(joiner.node());
    // The group now tolerates the failure of another member.
    cluster.stop(first.get(1).node());
    // A snapshot that contains the command may be installed before the command is applied, so that
    // its result is lost. The failure is reported, and the command is proposed again.
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> ContractCluster.proposeAt(joined, "by the new one").join() != null);
    List<String> commands = joined.machine().commands();
    assertThat(commands.subList(0, expected.size())).isEqualTo(expected);
    assertThat(commands.subList(expected.size(), commands.size()))
        .isNotEmpty()
        .containsOnly("by the new one");
    assertThat(joined.group().view().members()).isEqualTo(members);
  }

  @Test
  void aMemberLeavesIsRemovedAndReturnsWithoutAState() throws IOException {
    start(3);
    cluster.propose("before");
    List<Member> all = cluster.firstMembers();
    List<Member> remaining = all.subList(0, 2);
    NodeId leaving = all.get(2).node();
    change(remaining);
    cluster.propose("without");
    cluster.replaceByEmpty(leaving, remaining);
    change(all);
    // The group depends on the returned one now.
    cluster.stop(all.get(1).node());
    cluster.propose("after");
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(leaving).machine().commands().contains("after"));
    assertThat(cluster.node(leaving).machine().commands())
        .containsExactly("before", "without", "after");
  }

  /** Waits until a member serves proposals. With leaders, the leadership is transferred to it. */
  private void awaitProposalsAt(NodeId member) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              Optional<Leadership> leadership =
                  cluster.awaitServing().group().control(Leadership.class);
              ConsensusGroup group = cluster.node(member).group();
              if (leadership.isPresent() && !group.view().serving()) {
                leadership.get().transferTo(member, TRANSFER_TIMEOUT).toCompletableFuture().join();
              }
              return group.view().serving();
            });
  }

  /** Retries a change that fails, since it may be indeterminate, until the view has the members. */
  private void change(List<Member> members) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              Node node = cluster.awaitServing();
              Membership membership = node.group().control(Membership.class).orElseThrow();
              membership
                  .change(members, node.group().view().epoch(), 1)
                  .toCompletableFuture()
                  .join();
              return node.group().view().members().equals(members);
            });
  }

  @Test
  void anEmptyMemberListIsRejected() throws IOException {
    start(1);
    Node node = cluster.awaitServing();
    assertRejected(node, List.of(), node.group().view().epoch(), ConsensusException.Invalid.class);
  }

  /** Others may have made the change and undone it meanwhile. */
  @Test
  void aChangeOfAFormerEpochIsRejected() throws IOException {
    start(3);
    Node node = cluster.awaitServing();
    List<Member> all = cluster.firstMembers();
    assertRejected(
        node,
        all.subList(0, 2),
        node.group().view().epoch() - 1,
        ConsensusException.Unavailable.class);
    assertThat(node.group().view().members()).isEqualTo(all);
  }

  private static void assertRejected(
      Node node, List<Member> members, long epoch, Class<? extends ConsensusException> failure) {
    Membership membership = node.group().control(Membership.class).orElseThrow();
    assertThatThrownBy(() -> membership.change(members, epoch, 1).toCompletableFuture().join())
        .hasCauseInstanceOf(failure);
  }
}
