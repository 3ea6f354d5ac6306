package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.ratis.log.EntryLog;
import io.quorate.ratis.log.LogFixture;
import io.quorate.ratis.log.ReplicaStates;
import io.quorate.replication.log.SharedLog;
import io.quorate.replication.log.SharedLogSettings;
import io.quorate.replication.log.segment.LogOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.Test;

/** Which members vote and lead after members were added, removed and replaced. */
class MemberElectionsTest extends MembershipCase {
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
    TermIndex known = replaceBase(joined, TermIndex.valueOf(1_000, 1_000));

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
    replaceBase(joined, known);
    cluster.start(joined);
    cluster.propose("led by the joined member");
    awaitCommands(
        other, List.of("first", "only the joined member has it", "led by the joined member"));
  }

  /** The entry after which a replica has joined, which is replaced in the log of its node. */
  private TermIndex replaceBase(NodeId node, TermIndex by) throws IOException {
    Path data = directory.resolve(node.value());
    LogOwner owner = new LogOwner(cluster.spec().cluster(), node);
    try (SharedLog log =
        SharedLog.open(data.resolve("log"), data, owner, SharedLogSettings.DEFAULT)) {
      ReplicaStates states =
          EntryLog.open(log, cluster.spec().group(), 0, LogFixture.LOOPS).states();
      TermIndex former = states.joinedAfter().orElseThrow();
      states.setJoinedAfter(by);
      return former;
    }
  }
}
