package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication.Preparation;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.model.NodeId;
import io.quorate.ratis.BodyCluster.Proposal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The members of groups with bodies change (decision 0049). n4 is to take a follower's place. */
class BodyMembersTest {
  private static final int BYTES = 1 << 20;

  @TempDir Path directory;

  private BodyCluster cluster;
  private NodeId leader;
  private NodeId stays;
  private NodeId leaves;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new BodyCluster(
            directory, 3, Map.of("fallback-after", "1m", "timeout", "1m", "chunk-size", "100KiB"));
    cluster.start();
    leader = cluster.awaitLeader();
    stays = cluster.runningBeside(leader).get(0);
    leaves = cluster.runningBeside(leader).get(1);
  }

  @AfterEach
  void closeAndCheck() throws IOException {
    cluster.close();
    assertThat(cluster.nodes().violations()).isEmpty();
  }

  private List<Member> next(Member joiner) {
    List<Member> next = new ArrayList<>(cluster.nodes().firstMembers());
    next.removeIf(member -> member.node().equals(leaves));
    next.add(joiner);
    return next;
  }

  private static List<NodeId> nodes(List<Member> members) {
    return members.stream().map(Member::node).toList();
  }

  private CompletableFuture<Void> change(List<Member> members) {
    ConsensusGroup group = cluster.nodes().node(leader).group();
    return group
        .control(Membership.class)
        .orElseThrow()
        .change(members, group.view().epoch(), 1)
        .toCompletableFuture();
  }

  private Preparation prepare(List<Member> members) {
    Preparation preparation = cluster.bodies(leader).prepare(nodes(members));
    assertThat(preparation.copies()).isTrue();
    // As the caller proposes one: what is proposed before is applied then.
    cluster.nodes().propose("barrier");
    return preparation;
  }

  private static void copy(Preparation preparation, BodyReference body) {
    preparation.copy(body).toCompletableFuture().join();
  }

  private static boolean isCopied(Preparation preparation, BodyReference body) {
    return preparation.isCopied(body).toCompletableFuture().join();
  }

  private void awaitMembers(List<Member> members) {
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                nodes(cluster.nodes().node(leader).group().view().members())
                    .containsAll(nodes(members)));
  }

  /** The new member and one with a fragment are a majority, and restore each body. */
  @Test
  void aMajorityWithTheNewMemberRestoresEarlierBodies() throws IOException {
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    Member joiner = cluster.startJoiner("n4");
    List<Member> next = next(joiner);

    assertThatThrownBy(() -> change(next).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("not copied for this change");
    Preparation preparation = prepare(next);
    assertThatThrownBy(() -> change(next).join())
        .as("without copies")
        .hasMessageContaining("not copied for this change");
    assertThat(isCopied(preparation, reference)).isFalse();
    copy(preparation, reference);
    assertThat(isCopied(preparation, reference)).isTrue();
    copy(preparation, reference);
    assertThat(cluster.gate(joiner.node()).puts(cluster.id(reference))).isEqualTo(1);
    preparation.complete();
    change(next).join();
    awaitMembers(next);

    cluster.stop(List.of(leaves, leader));
    NodeId other = cluster.awaitLeader();
    assertThat(cluster.bodies(other).read(reference).toCompletableFuture().join())
        .isEqualTo(proposal.body);
  }

  /** Its term is over, in which no body may be stored any more that is not committed. */
  @Test
  void bodiesOfFormerLeadersAreCopied() throws IOException {
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    cluster.transferTo(stays);
    stays = leader;
    leader = cluster.awaitLeader();
    Member joiner = cluster.startJoiner("n4");
    Preparation preparation = prepare(next(joiner));
    copy(preparation, reference);
    assertThat(cluster.isComplete(joiner.node(), reference)).isTrue();
    assertThat(cluster.isComplete(leader, reference)).as("it kept no copy").isFalse();
  }

  /** Rule 2: it was on its way before the preparation, and its header was not proposed. */
  @Test
  void aBodyInFlightWaitsForTheNewMember() throws IOException {
    CompletableFuture<Void> slow = cluster.gate(leaves).hold();
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    await().atMost(PATIENCE).until(() -> cluster.gate(leaves).held() == 1);
    Member joiner = cluster.startJoiner("n4");
    CompletableFuture<Void> disk = cluster.gate(joiner.node()).hold();
    Preparation preparation = prepare(next(joiner));
    await().atMost(PATIENCE).until(() -> cluster.gate(joiner.node()).held() == 1);
    slow.complete(null);
    await().atMost(PATIENCE).until(() -> !held(leaves).isEmpty());
    cluster.nodes().propose("other");
    assertThat(proposal.references).isEmpty();

    disk.complete(null);
    assertThat(cluster.isComplete(joiner.node(), proposal.awaitReference())).isTrue();
    preparation.complete();
    change(next(joiner)).join();
  }

  private List<?> held(NodeId node) {
    return cluster.store(node).bodiesOf(cluster.nodes().spec().group());
  }

  @Test
  void bodiesAreWrittenDuringAndAfterAChange() throws IOException {
    Member joiner = cluster.startJoiner("n4");
    List<Member> next = next(joiner);
    Preparation preparation = prepare(next);
    BodyReference during = cluster.propose(leader, "during", BYTES).awaitReference();
    assertThat(cluster.isComplete(joiner.node(), during)).isTrue();
    preparation.complete();
    change(next).join();
    awaitMembers(next);
    cluster.nodes().stop(leaves);
    Proposal after = cluster.propose(leader, "after", BYTES);
    BodyReference reference = after.awaitReference();
    assertThat(cluster.isComplete(joiner.node(), reference)).as("a fragment").isFalse();
    assertThat(cluster.bodies(joiner.node()).read(reference).toCompletableFuture().join())
        .isEqualTo(after.body);
  }

  @Test
  void thePresentMembersEndAPreparation() throws IOException {
    Member joiner = cluster.startJoiner("n4");
    prepare(next(joiner));
    change(cluster.nodes().firstMembers()).join();
    BodyReference body = cluster.propose(leader, "put", BYTES).awaitReference();
    assertThat(cluster.store(joiner.node()).contains(cluster.id(body))).isFalse();
  }

  @Test
  void onlyTheLeaderPreparesOneChange() throws IOException {
    Member joiner = cluster.startJoiner("n4");
    List<NodeId> next = nodes(next(joiner));
    assertThatThrownBy(() -> cluster.bodies(stays).prepare(next))
        .isInstanceOf(ConsensusException.Redirect.class);
    assertThatThrownBy(() -> cluster.bodies(leader).prepare(List.of(leader, joiner.node())))
        .isInstanceOf(ConsensusException.Invalid.class);
  }
}
