package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Member;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.LifeCycle;
import org.junit.jupiter.api.Test;

/** How members are added, removed and replaced. */
class RatisMembershipTest extends MembershipCase {
  @Test
  void aLeaderTransfersTheLeadershipBeforeItIsRemoved() {
    List<Member> members = without(leader);
    ConsensusException.Redirect redirect =
        (ConsensusException.Redirect)
            change(leader, members).handle((done, failure) -> Failures.unwrap(failure)).join();
    NodeId successor = redirect.leader().orElseThrow();
    assertThat(successor).isNotEqualTo(leader);
    changeUntilDone(members);
    assertThat(cluster.node(successor).group().view().members()).isEqualTo(members);
    assertThat(cluster.propose("without it").position()).isNotNull();
  }

  /** It does not receive the configuration without it, and stands for election. */
  @Test
  void aRemovedMemberEndsWithoutAFailureOfItsNode() throws IOException {
    NodeId removed = without(leader).get(0).node();
    RatisEngine engine = (RatisEngine) cluster.node(removed).engine();
    changeUntilDone(without(removed));
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                engine.division(cluster.spec()).getInfo().getLifeCycleState()
                    == LifeCycle.State.CLOSED);
    assertThat(cluster.propose("without it").position()).isNotNull();
    cluster.node(removed).group().close();
  }

  @Test
  void onlyOneMemberIsReplacedAtATime() {
    List<Member> first = cluster.firstMembers();
    List<Member> two = List.of(first.get(0), member("n4"), member("n5"));
    assertThatThrownBy(() -> change(leader, two).join())
        .hasCauseInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("adds one member, removes one, or replaces one");
  }

  private static Member member(String name) {
    return new Member(new NodeId(name), InetSocketAddress.createUnresolved("127.0.0.1", 1));
  }

  @Test
  void aFollowerRefersToTheLeader() {
    NodeId follower = without(leader).get(0).node();
    assertThatThrownBy(() -> change(follower, cluster.firstMembers()).join())
        .cause()
        .isInstanceOfSatisfying(
            ConsensusException.Redirect.class,
            redirect -> assertThat(redirect.leader()).contains(leader));
  }

  /** The members stay as they are. */
  @Test
  void aNewMemberThatDoesNotRunIsNotAdded() {
    List<Member> first = cluster.firstMembers();
    List<Member> members = List.of(first.get(0), first.get(1), first.get(2), member("n4"));
    assertThatThrownBy(() -> change(leader, members).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
    assertThat(cluster.node(leader).group().view().members()).isEqualTo(first);
    assertThat(cluster.propose("later").position()).isNotNull();
  }

  /** It has no log of its own, and the leader's begins after the first entries. */
  @Test
  void aNewMemberThatDoesNotRunIsGivenUpWhileTheGroupIsInUse() {
    List<Member> members = new ArrayList<>(cluster.firstMembers());
    members.add(member("n4"));
    CompletableFuture<Void> added = change(leader, members);
    // Each entry is an event for the leader, which otherwise detects the silence between events.
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              ContractCluster.proposeAt(cluster.node(leader), "used").join();
              return added.isDone();
            });
    assertThat(added)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOf(ConsensusException.Unavailable.class);
  }

  @Test
  void aNewMemberFetchesASnapshotBeforeItIsCounted() throws IOException {
    for (int i = 0; i < 400; i++) {
      cluster.propose("command " + i + " " + "x".repeat(1000));
    }
    cluster.running().values().forEach(node -> node.machine().flush());
    await().atMost(PATIENCE).until(() -> division(leader).getRaftLog().getStartIndex() > 0);
    Member joiner = cluster.startJoiner("n4");
    List<Member> first = cluster.firstMembers();
    List<Member> members = List.of(first.get(0), first.get(1), first.get(2), joiner);
    changeUntilDone(members);
    cluster.propose("last");
    List<String> commands = cluster.node(leader).machine().commands();
    assertThat(commands).hasSize(402);
    awaitCommands(joiner.node(), commands);
  }

  /** Its node opens the group with the first members each time; the log has the present ones. */
  @Test
  void aNewMemberIsRestartedBeforeAndAfterItJoins() throws IOException {
    Member joiner = cluster.startJoiner("n4");
    restart(joiner.node());
    List<Member> first = cluster.firstMembers();
    List<Member> members = new ArrayList<>(without(leader).subList(1, 2));
    members.addAll(first.stream().filter(member -> member.node().equals(leader)).toList());
    members.add(joiner);
    changeUntilDone(members);
    cluster.stop(without(leader).get(0).node());
    restart(joiner.node());

    cluster.stop(cluster.awaitServingId());
    // Of the two that are left, one may have been the leader before.
    assertThat(cluster.propose("with the new member").position()).isNotNull();
    awaitCommands(joiner.node(), List.of("first", "with the new member"));
  }

  /**
   * A leader that is elected during a change completes it without regard to the majorities of the
   * former members. So these must have a member in common with those of the next, which is not so
   * when a member is replaced at once.
   */
  @Test
  void aReplacementAddsTheNewMemberFirst() throws IOException {
    NodeId replaced = without(leader).get(0).node();
    List<Member> members = new ArrayList<>(without(replaced));
    members.add(cluster.startJoiner("n4"));
    changeUntilDone(members);
    Set<RaftPeerId> before = peers(cluster.firstMembers());
    Set<Set<RaftPeerId>> seen = new HashSet<>();
    for (Set<RaftPeerId> peers : configurations(leader)) {
      Set<RaftPeerId> former = before;
      assertThat(Stream.concat(former.stream(), peers.stream()))
          .filteredOn(each -> !former.contains(each) || !peers.contains(each))
          .as("from %s to %s", former, peers)
          .hasSizeLessThanOrEqualTo(1);
      seen.add(peers);
      before = peers;
    }
    assertThat(before).isEqualTo(peers(members));
    assertThat(seen).hasSize(3);
  }

  /**
   * The former leader fails when only it has the configuration without the member. The next one
   * completes the removal, and still sends entries to the removed member.
   */
  @Test
  void aMemberReturnsAlthoughTheLeaderWasElectedDuringItsRemoval() throws IOException {
    List<Member> four = new ArrayList<>(cluster.firstMembers());
    four.add(cluster.startJoiner("n4"));
    changeUntilDone(four);
    NodeId removing = cluster.awaitServingId();
    RaftServer.Division division = division(removing);
    NodeId returning =
        four.stream()
            .map(Member::node)
            .filter(node -> !node.equals(removing))
            .reduce((one, last) -> last)
            .orElseThrow();
    RaftPeerId peer = RaftIds.peerId(returning);
    REQUEST_RECEIVED.on(
        (point, header) -> {
          RaftRpcRequestProto request = (RaftRpcRequestProto) header;
          // Ratis appends the configuration before it is in effect.
          boolean mayBeOfTheChange =
              request.getReplyId().equals(peer.toByteString())
                  || division.getRaftConf().getPeer(peer) == null;
          if (request.getRequestorId().equals(division.getId().toByteString())
              && mayBeOfTheChange) {
            throw new IOException("lost");
          }
        });
    List<Member> three = four.stream().filter(member -> !member.node().equals(returning)).toList();
    change(removing, three);
    await().atMost(PATIENCE).until(() -> division.getRaftConf().getPeer(peer) == null);
    cluster.stop(removing);
    REQUEST_RECEIVED.off();

    changeUntilDone(three);
    cluster.replaceByEmpty(returning, three);
    changeUntilDone(four);
    assertThat(cluster.propose("with the returned member").position()).isNotNull();
    awaitCommands(returning, List.of("first", "with the returned member"));
  }

  private void restart(NodeId node) throws IOException {
    cluster.stop(node);
    cluster.start(node);
  }
}
