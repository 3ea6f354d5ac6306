package io.quorate.ratis.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.ratis.log.StatesInMemory;
import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.read.LeaseGrants;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.util.ProtoUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The guards around a server in term 3 that accepts every request. Its entries up to 8 are
 * committed, its log has those from 7 on, of term 2.
 */
class CommittedEntriesTest {
  private static final RaftPeerId LEADER = RaftPeerId.valueOf("leader");

  private final RaftGroupId group = RaftGroupId.randomId();
  private final List<Long> entered = new ArrayList<>();
  private final SwitchedCondition condition = new SwitchedCondition();
  private RaftServer.Division division;
  private final RaftServer guarded =
      new GuardedRaftServer(
          server(),
          new LeaseGrants(Duration.ZERO, System::nanoTime),
          new AppendSequences(),
          condition);

  @BeforeEach
  void open() {
    division = FakeDivision.of(StatesInMemory.begin(0));
  }

  @ParameterizedTest(name = "after {0}:{1}, {2} entries of term {3}")
  @CsvSource({
    "1, 7, 0, 0", // a heartbeat
    "3, 8, 1, 3",
    "2, 7, 1, 3", // the leader's log has ended before
    "1, 6, 1, 1",
    "2, 6, 2, 3", // the second entry, too
    "2, 5, 1, 3", // the log does not have it any more; terms do not decrease
    "3, 4, 0, 0"
  })
  void aLeaderWhoseLogContradictsACommittedEntryIsRejected(
      long previousTerm, long previous, int entries, long term) {
    assertThatThrownBy(() -> append(3, previousTerm, previous, entries, term))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has committed entries that leader, the leader of term 3,");
    assertThat(entered).isEmpty();
    assertThat(condition.committed.contradictedBy()).contains(LEADER);
  }

  @ParameterizedTest(name = "of a leader of term {0}, after {1}:{2}, {3} entries of term {4}")
  @CsvSource({
    "3, 2, 8, 1, 3",
    "3, 2, 7, 1, 2", // received again
    "3, 1, 5, 1, 2", // the log does not have it any more
    "3, 2, 9, 1, 3", // not committed
    "3, 3, 9, 0, 0",
    "4, 2, 8, 2, 4",
    "2, 1, 7, 1, 1" // of a former term; Ratis rejects it
  })
  void aLeaderThatHasTheCommittedEntriesIsFollowed(
      long leaderTerm, long previousTerm, long previous, int entries, long term) throws Exception {
    append(leaderTerm, previousTerm, previous, entries, term);
    assertThat(entered).containsExactly(leaderTerm);
    assertThat(condition.committed.contradictedBy()).isEmpty();
  }

  /** It would replace the rows. */
  @Test
  void aSnapshotOfALeaderThatContradictsIsNotInstalled() throws IOException {
    install(3);
    assertThatThrownBy(() -> append(3, 1, 7, 1, 3)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> install(3))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("it does not follow");
    assertThat(entered).containsExactly(3L);
    install(4);
    assertThat(entered).containsExactly(3L, 4L);
  }

  @Test
  void aLaterLeaderWithTheEntriesIsFollowedAgain() throws Exception {
    assertThatThrownBy(() -> append(3, 1, 7, 1, 3)).isInstanceOf(IOException.class);
    append(4, 2, 8, 0, 0);
    assertThat(condition.committed.contradictedBy()).as("a heartbeat shows less").isPresent();
    condition.committed.accepted();
    assertThat(condition.committed.contradictedBy()).isEmpty();
  }

  private void append(
      long leaderTerm, long previousTerm, long previous, int entries, long entriesTerm)
      throws IOException {
    AppendEntriesRequestProto.Builder request =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(header())
            .setLeaderTerm(leaderTerm)
            .setPreviousLog(TermIndex.valueOf(previousTerm, previous).toProto());
    for (int i = 1; i <= entries; i++) {
      request.addEntries(LogEntryProto.newBuilder().setTerm(entriesTerm).setIndex(previous + i));
    }
    guarded.appendEntriesAsync(request.build());
  }

  private void install(long leaderTerm) throws IOException {
    guarded.installSnapshot(
        InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(header())
            .setLeaderTerm(leaderTerm)
            .build());
  }

  private RaftRpcRequestProto header() {
    return RaftRpcRequestProto.newBuilder()
        .setRequestorId(LEADER.toByteString())
        .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(group))
        .build();
  }

  private RaftServer server() {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "appendEntriesAsync" -> {
                    entered.add(((AppendEntriesRequestProto) arguments[0]).getLeaderTerm());
                    yield CompletableFuture.completedFuture(
                        AppendEntriesReplyProto.newBuilder()
                            .setResult(AppendResult.INCONSISTENCY)
                            .build());
                  }
                  case "installSnapshot" -> {
                    entered.add(((InstallSnapshotRequestProto) arguments[0]).getLeaderTerm());
                    yield InstallSnapshotReplyProto.getDefaultInstance();
                  }
                  case "getDivision" -> division;
                  default -> throw new IOException("no " + method.getName());
                });
  }
}
