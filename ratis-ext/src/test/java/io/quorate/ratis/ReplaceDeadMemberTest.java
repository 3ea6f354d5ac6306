package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A dead member is replaced by one that ends for good between the two changes. */
class ReplaceDeadMemberTest extends MembershipCase {
  @AfterEach
  void off() {
    RaftPoints.BEFORE_CHANGE.off();
  }

  /** Of two members one would be dead, and nothing could be committed, not even their change. */
  @Test
  void aMemberWithoutWhichNoMajorityRespondsIsNotRemoved() {
    List<Member> followers = without(leader);
    NodeId dead = followers.get(0).node();
    NodeId leaving = followers.get(1).node();
    cluster.stop(dead);
    awaitSilence(dead);
    assertThatThrownBy(() -> change(leader, without(leaving)).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("these have no majority");
    assertThat(cluster.propose("later").position()).isNotNull();
  }

  /** It has not been silent for long in the new term, and has not responded in it either. */
  @Test
  void aMemberThatDiedBeforeTheElectionDoesNotRespond() throws Exception {
    List<Member> followers = without(leader);
    NodeId next = followers.get(0).node();
    NodeId dead = followers.get(1).node();
    cluster.stop(dead);
    transferUntilDone(next);
    assertThat(cluster.awaitServingId()).isEqualTo(next);
    assertThatThrownBy(() -> change(next, without(leader)).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("only [" + next + "] have responded");
    assertThat(cluster.propose("later").position()).isNotNull();
  }

  /** Its second step would follow the other change, and undo it. */
  @Test
  void noOtherChangeComesBetweenTheStepsOfAReplacement() throws IOException {
    Member joiner = cluster.startJoiner("n4");
    NodeId leaving = without(leader).get(1).node();
    List<Member> next = new ArrayList<>(without(leaving));
    next.add(joiner);
    List<Member> both = new ArrayList<>(cluster.firstMembers());
    both.add(joiner);
    AtomicInteger steps = new AtomicInteger();
    AtomicReference<CompletableFuture<Void>> other = new AtomicReference<>();
    RaftPoints.BEFORE_CHANGE.on(
        (point, group) -> {
          if (steps.incrementAndGet() == 2) {
            other.set(change(leader, both));
          }
        });
    change(leader, next).join();
    assertThatThrownBy(() -> other.get().join())
        .hasCauseInstanceOf(ConsensusException.Overloaded.class);
    RaftPoints.BEFORE_CHANGE.off();
    changeUntilDone(both);
  }

  /**
   * Two of three healthy members are a majority throughout. If the new member had been added first,
   * three of four would be needed: for writes, for an election, and to remove it again.
   */
  @Test
  void theOthersGoOnAlthoughTheNewMemberEndsBeforeItIsCounted() throws IOException {
    NodeId dead = without(leader).get(1).node();
    cluster.stop(dead);
    awaitSilence(dead);
    Member joiner = cluster.startJoiner("n4");
    List<Member> next = new ArrayList<>(without(dead));
    next.add(joiner);
    AtomicInteger changes = new AtomicInteger();
    RaftPoints.BEFORE_CHANGE.on(
        (point, group) -> {
          if (changes.incrementAndGet() == 2) {
            cluster.stop(joiner.node());
          }
        });
    CompletableFuture<Void> change = change(leader, next);
    await().atMost(PATIENCE).until(() -> changes.get() >= 2);
    assertThat(cluster.propose("without both").position()).isNotNull();
    assertThat(configurations(leader).get(configurations(leader).size() - 1))
        .isEqualTo(peers(without(dead)));
    await().atMost(PATIENCE).until(change::isDone);
    RaftPoints.BEFORE_CHANGE.off();
    changeUntilDone(without(dead));
    assertThat(cluster.propose("later").position()).isNotNull();
  }
}
