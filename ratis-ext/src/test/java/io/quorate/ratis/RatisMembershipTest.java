package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.quorum.QuorumReads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.LifeCycle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatisMembershipTest {
  private static final Failpoint REQUEST_RECEIVED = Failpoint.named("raft.request.received");

  @TempDir private Path directory;

  private ContractCluster cluster;
  private NodeId leader;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings("raft", FastSettings.with(Map.of())),
            directory,
            3);
    cluster.startAll();
    cluster.propose("first");
    leader = cluster.awaitServingId();
  }

  @AfterEach
  void closeAndCheck() {
    REQUEST_RECEIVED.off();
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  private CompletableFuture<Void> change(NodeId at, List<Member> members) {
    ConsensusGroup group = cluster.node(at).group();
    return group
        .control(Membership.class)
        .orElseThrow()
        .change(members, group.view().epoch(), 1)
        .toCompletableFuture();
  }

  private List<Member> without(NodeId node) {
    return cluster.firstMembers().stream().filter(member -> !member.node().equals(node)).toList();
  }

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

  private void changeUntilDone(List<Member> members) {
    changeUntilDone(cluster::awaitServingId, members);
  }

  private void changeUntilDone(Supplier<NodeId> at, List<Member> members) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () -> {
              change(at.get(), members).join();
              return true;
            });
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

  private void awaitCommands(NodeId node, List<String> commands) {
    await().atMost(PATIENCE).until(() -> cluster.node(node).machine().commands(), commands::equals);
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

  /** The leader ends when the new member has received neither configuration that it is part of. */
  @Test
  void aNewMemberVotesWithoutAConfigurationOfItsOwn() throws IOException {
    Member joiner = cluster.startJoiner("n4");
    RaftServer.Division division = division(leader);
    RaftPeerId joinerId = RaftPeerId.valueOf(joiner.node().value());
    REQUEST_RECEIVED.on(
        (point, header) -> {
          RaftRpcRequestProto request = (RaftRpcRequestProto) header;
          if (request.getReplyId().equals(joinerId.toByteString())
              && request.getRequestorId().equals(division.getId().toByteString())
              && division.getRaftConf().getPeer(joinerId) != null) {
            throw new IOException("lost");
          }
        });
    List<Member> members = new ArrayList<>(without(without(leader).get(0).node()));
    members.add(joiner);
    changeUntilDone(members);
    cluster.stop(without(leader).get(0).node());
    cluster.stop(leader);

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

  /** The members of each configuration in the log of a node; after a change if one is under way. */
  private List<Set<RaftPeerId>> configurations(NodeId node) throws IOException {
    RaftLog log = division(node).getRaftLog();
    List<Set<RaftPeerId>> configurations = new ArrayList<>();
    for (long index = log.getStartIndex(); index < log.getNextIndex(); index++) {
      LogEntryProto entry = log.get(index);
      if (entry.hasConfigurationEntry()) {
        configurations.add(
            entry.getConfigurationEntry().getPeersList().stream()
                .map(peer -> RaftPeerId.valueOf(peer.getId()))
                .collect(Collectors.toSet()));
      }
    }
    return configurations;
  }

  private static Set<RaftPeerId> peers(List<Member> members) {
    return members.stream()
        .map(member -> RaftIds.peerId(member.node()))
        .collect(Collectors.toSet());
  }

  private RaftServer.Division division(NodeId node) throws IOException {
    return ((RatisEngine) cluster.node(node).engine()).division(cluster.spec());
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
          if (request.getRequestorId().equals(division.getId().toByteString())
              && division.getRaftConf().getPeer(peer) == null) {
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

  /**
   * It led when a member was replaced, and its log had entries that others replaced. Its first
   * entry is the configuration that it has.
   */
  @Test
  void aFormerLeaderThatMissedAReplacementKeepsTheMembersWhenItLeads() throws IOException {
    NodeId former = leader;
    REQUEST_RECEIVED.on(
        (point, header) -> {
          RaftRpcRequestProto request = (RaftRpcRequestProto) header;
          if (Stream.of(request.getRequestorId(), request.getReplyId())
              .anyMatch(RaftIds.peerId(former).toByteString()::equals)) {
            throw new IOException("lost");
          }
        });
    long entries = division(former).getRaftLog().getNextIndex();
    ContractCluster.proposeAt(cluster.node(former), "nowhere else");
    await().atMost(PATIENCE).until(() -> division(former).getRaftLog().getNextIndex() > entries);
    NodeId next =
        await()
            .atMost(PATIENCE)
            .until(
                () -> leaderKnownTo(without(former).get(0).node()), known -> !known.equals(former));
    NodeId replaced =
        without(former).stream()
            .map(Member::node)
            .filter(node -> !node.equals(next))
            .findFirst()
            .orElseThrow();
    List<Member> members = new ArrayList<>(without(replaced));
    members.add(cluster.startJoiner("n4"));
    changeUntilDone(() -> next, members);
    ContractCluster.proposeAt(cluster.node(next), "without the former leader").join();

    REQUEST_RECEIVED.off();
    awaitCommands(former, List.of("first", "without the former leader"));
    transferUntilDone(former);
    cluster.propose("led by the former leader");
    assertThat(configurations(former)).last().isEqualTo(peers(members));
  }

  /** The leader that a node knows, or the first one if it knows none. */
  private NodeId leaderKnownTo(NodeId node) {
    return cluster.node(node).group().view().leader().orElse(leader);
  }

  private void transferUntilDone(NodeId target) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () -> {
              cluster
                  .node(cluster.awaitServingId())
                  .group()
                  .control(Leadership.class)
                  .orElseThrow()
                  .transferTo(target, Duration.ofSeconds(5))
                  .toCompletableFuture()
                  .join();
              return true;
            });
  }

  /** It has lost its log, and received the state by a snapshot. */
  @Test
  void aReturnedMemberLeadsAtOnce() throws IOException {
    NodeId returning = without(leader).get(0).node();
    changeUntilDone(without(returning));
    cluster.replaceByEmpty(returning, without(returning));
    changeUntilDone(cluster.firstMembers());
    transferUntilDone(returning);
    cluster.stop(without(returning).get(0).node());
    assertThat(cluster.propose("led by the returned member").position()).isNotNull();
  }

  /**
   * A member that is behind counts the former replica of a node, and is connected to the present
   * one alone, which has no entries: together they would be a majority of the former configuration.
   */
  @Test
  void aReturnedMemberDoesNotVoteInAFormerConfiguration() throws IOException {
    NodeId behind = without(leader).get(0).node();
    NodeId returned = without(leader).get(1).node();
    cluster.stop(behind);
    Member joiner = cluster.startJoiner("n4");
    List<Member> members = new ArrayList<>(without(returned));
    members.add(joiner);
    changeUntilDone(members);
    cluster.propose("acknowledged");
    cluster.replaceByEmpty(returned, members);

    Set<NodeId> apart = Set.of(behind, returned);
    AtomicInteger votesRequested = new AtomicInteger();
    REQUEST_RECEIVED.on(
        (point, header) -> {
          RaftRpcRequestProto request = (RaftRpcRequestProto) header;
          NodeId from = new NodeId(request.getRequestorId().toStringUtf8());
          NodeId to = new NodeId(request.getReplyId().toStringUtf8());
          if (apart.contains(from) != apart.contains(to)) {
            throw new IOException("lost");
          }
          if (to.equals(returned)) {
            votesRequested.incrementAndGet();
          }
        });
    cluster.start(behind);
    await().atMost(PATIENCE).until(() -> votesRequested.get() > 3);
    assertThat(cluster.node(behind).group().view().leader()).isNotEqualTo(Optional.of(behind));

    REQUEST_RECEIVED.off();
    changeUntilDone(cluster.firstMembers());
    cluster.propose("last");
    awaitCommands(returned, List.of("first", "acknowledged", "last"));
    awaitCommands(behind, List.of("first", "acknowledged", "last"));
  }

  /** It was restarted while it caught up, and its log may have a former configuration with it. */
  @Test
  void aMemberWhoseLogEndsBeforeItJoinedNeitherLeadsNorSendsReadReplies() throws IOException {
    Member joiner = cluster.startJoiner("n4");
    NodeId joined = joiner.node();
    NodeId other = without(leader).get(0).node();
    List<Member> members = new ArrayList<>(without(without(leader).get(1).node()));
    members.add(joiner);
    changeUntilDone(members);
    cluster.stop(without(leader).get(1).node());
    cluster.stop(other);
    cluster.propose("only the joined member has it");
    awaitCommands(joined, List.of("first", "only the joined member has it"));
    cluster.stop(List.of(leader, joined));
    Path base = base(joined);
    byte[] known = Files.readAllBytes(base);
    Files.write(base, ByteBuffer.allocate(16).putLong(1_000).putLong(1_000).array());

    AtomicInteger votesRequested = new AtomicInteger();
    REQUEST_RECEIVED.on(
        (point, header) -> {
          if (((RaftRpcRequestProto) header).getReplyId().toStringUtf8().equals(joined.value())) {
            votesRequested.incrementAndGet();
          }
        });
    cluster.start(joined);
    cluster.start(other);
    await().atMost(PATIENCE).until(() -> votesRequested.get() > 5);
    ConsensusGroup group = cluster.node(joined).group();
    assertThat(group.view().leader()).isEmpty();
    assertThat(
            group
                .control(QuorumReads.class)
                .orElseThrow()
                .reply(KeyScope.key(Key.utf8("k")), Position.NONE))
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOf(ConsensusException.Unavailable.class);

    cluster.stop(joined);
    Files.write(base, known);
    cluster.start(joined);
    cluster.propose("led by the joined member");
    awaitCommands(
        other, List.of("first", "only the joined member has it", "led by the joined member"));
  }

  private Path base(NodeId node) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve(node.value()))) {
      return files.filter(file -> file.endsWith("joined-after")).findFirst().orElseThrow();
    }
  }

  private void restart(NodeId node) throws IOException {
    cluster.stop(node);
    cluster.start(node);
  }
}
