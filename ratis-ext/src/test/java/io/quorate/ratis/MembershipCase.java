package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.NodeId;
import io.quorate.ratis.settings.RatisSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A group of three Raft members with one command, whose members a test changes. */
abstract class MembershipCase {
  static final Failpoint REQUEST_RECEIVED = Failpoint.named("raft.request.received");

  @TempDir Path directory;

  ContractCluster cluster;
  NodeId leader;

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

  CompletableFuture<Void> change(NodeId at, List<Member> members) {
    ConsensusGroup group = cluster.node(at).group();
    return group
        .control(Membership.class)
        .orElseThrow()
        .change(members, group.view().epoch(), 1)
        .toCompletableFuture();
  }

  List<Member> without(NodeId node) {
    return cluster.firstMembers().stream().filter(member -> !member.node().equals(node)).toList();
  }

  void changeUntilDone(List<Member> members) {
    changeUntilDone(cluster::awaitServingId, members);
  }

  void changeUntilDone(Supplier<NodeId> at, List<Member> members) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () -> {
              change(at.get(), members).join();
              return true;
            });
  }

  void awaitCommands(NodeId node, List<String> commands) {
    await().atMost(PATIENCE).until(() -> cluster.node(node).machine().commands(), commands::equals);
  }

  /** The members of each configuration in the log of a node; after a change if one is under way. */
  List<Set<RaftPeerId>> configurations(NodeId node) throws IOException {
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

  static Set<RaftPeerId> peers(List<Member> members) {
    return members.stream()
        .map(member -> RaftIds.peerId(member.node()))
        .collect(Collectors.toSet());
  }

  RaftServer.Division division(NodeId node) throws IOException {
    return ((RatisEngine) cluster.node(node).engine()).division(cluster.spec());
  }

  void transferUntilDone(NodeId target) {
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

  /** Awaits that a member has been silent for so long that its leader takes it for dead. */
  void awaitSilence(NodeId dead) {
    long timeoutMillis =
        RatisSettings.from(new EngineSettings("raft", FastSettings.with(Map.of())))
            .followerTimeout()
            .toMillis();
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                division(leader)
                    .getInfo()
                    .getRoleInfoProto()
                    .getLeaderInfo()
                    .getFollowerInfoList()
                    .stream()
                    .filter(info -> info.getId().getId().toStringUtf8().equals(dead.value()))
                    .mapToLong(ServerRpcProto::getLastRpcElapsedTimeMs)
                    .anyMatch(silent -> silent > timeoutMillis));
  }
}
