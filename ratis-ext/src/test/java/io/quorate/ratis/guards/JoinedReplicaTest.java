package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.ratis.log.LogFixture;
import io.quorate.ratis.log.ReplicaStates;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinedReplicaTest {
  @TempDir private Path directory;

  private final AtomicReference<TermIndex> last = new AtomicReference<>(TermIndex.valueOf(2, 100));
  private JoinedReplica replica;

  private LogFixture node;
  private ReplicaStates states;

  @BeforeEach
  void open() throws IOException {
    node = new LogFixture(directory);
    states = node.replica().states();
    replica = opened(true);
  }

  @AfterEach
  void close() throws IOException {
    node.close();
  }

  private JoinedReplica opened(boolean joined) throws IOException {
    JoinedReplica opened = new JoinedReplica(joined, states);
    RaftLog log = of(RaftLog.class, "getLastEntryTermIndex", last);
    opened.opened(of(RaftServer.Division.class, "getRaftLog", new AtomicReference<>(log)));
    return opened;
  }

  private static <T> T of(Class<T> type, String method, AtomicReference<?> result) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              assertThat(called.getName()).isEqualTo(method);
              return result.get();
            }));
  }

  /** They may be of members that count a former replica of the node. */
  @Test
  void nothingIsAcceptedBeforeTheLeaderAddsTheReplica() throws IOException {
    assertThatThrownBy(() -> replica.require(append(5, false)))
        .isInstanceOf(ServerNotReadyException.class);
    assertThatThrownBy(() -> replica.requireBase()).isInstanceOf(ServerNotReadyException.class);
    assertThatThrownBy(() -> replica.require(candidate(9, 9_000)))
        .isInstanceOf(ServerNotReadyException.class);
    assertThat(replica.hasCaughtUp()).isFalse();
    assertThat(states.joinedAfter()).isEmpty();

    replica.require(append(7, true));
    replica.require(append(7, false));
    replica.requireBase();
  }

  @Test
  void onlyCandidatesWithTheLogOfTheLeaderReceiveAVote() throws IOException {
    replica.require(append(7, true));
    assertThatThrownBy(() -> replica.require(candidate(6, 9_000)))
        .isInstanceOf(ServerNotReadyException.class)
        .hasMessage("The log of the candidate ends before this replica joined the group.");
    assertThatThrownBy(() -> replica.require(candidate(7, 499)))
        .isInstanceOf(ServerNotReadyException.class);
    assertThatCode(() -> replica.require(candidate(7, 500))).doesNotThrowAnyException();
    assertThatCode(() -> replica.require(candidate(8, 1))).doesNotThrowAnyException();
  }

  @Test
  void aReplicaCatchesUpWithTheLogOfTheLeader() throws IOException {
    replica.require(append(7, true));
    for (TermIndex behind : List.of(TermIndex.valueOf(6, 9_000), TermIndex.valueOf(7, 499))) {
      last.set(behind);
      assertThat(replica.hasCaughtUp()).isFalse();
    }
    last.set(TermIndex.valueOf(7, 500));
    assertThat(replica.hasCaughtUp()).isTrue();
    assertThatCode(() -> replica.require(candidate(6, 1))).doesNotThrowAnyException();
  }

  /** It may have entries by then, of which a former configuration is the last. */
  @Test
  void theBaseSurvivesARestart() throws IOException {
    replica.require(append(7, true));
    node.reopen();
    states = node.replica().states();
    JoinedReplica restarted = opened(true);
    restarted.require(append(7, false));
    assertThat(restarted.hasCaughtUp()).isFalse();
    assertThatThrownBy(() -> restarted.require(candidate(7, 499)))
        .isInstanceOf(ServerNotReadyException.class);
  }

  /** The first may have been paused, and adds a former replica of the node. */
  @Test
  void aLaterLeaderThatAddsTheReplicaReplacesTheBase() throws IOException {
    replica.require(append(3, true));
    replica.require(append(7, true));
    replica.require(append(3, true));
    assertThatThrownBy(() -> opened(true).require(candidate(6, 9_000)))
        .isInstanceOf(ServerNotReadyException.class);
  }

  @Test
  void aReplicaOfTheFirstMembersHasNoFence() throws IOException {
    JoinedReplica first = opened(false);
    first.require(append(5, false));
    first.require(candidate(1, 1));
    assertThat(first.hasCaughtUp()).isTrue();
  }

  private static AppendEntriesRequestProto append(long term, boolean initializing) {
    RaftPeerId leader = RaftPeerId.valueOf("n2");
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(RaftRpcRequestProto.newBuilder().setRequestorId(leader.toByteString()))
        .setLeaderTerm(term)
        .setInitializing(initializing)
        .addCommitInfos(commit(RaftPeerId.valueOf("n3"), 400))
        .addCommitInfos(commit(leader, 500))
        .build();
  }

  private static CommitInfoProto commit(RaftPeerId server, long index) {
    return CommitInfoProto.newBuilder()
        .setServer(RaftPeerProto.newBuilder().setId(server.toByteString()))
        .setCommitIndex(index)
        .build();
  }

  private static RequestVoteRequestProto candidate(long term, long index) {
    return RequestVoteRequestProto.newBuilder()
        .setCandidateLastEntry(TermIndex.valueOf(term, index).toProto())
        .build();
  }
}
