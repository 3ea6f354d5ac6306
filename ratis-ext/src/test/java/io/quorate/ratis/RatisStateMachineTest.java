package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.ratis.flow.UnappliedLog;
import io.quorate.ratis.log.EntryLog;
import io.quorate.ratis.log.LogFixture;
import io.quorate.replication.snapshot.SnapshotFetcher;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.FollowerInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.LifeCycle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The adapter alone; the tests call it as Ratis' updater thread does. */
class RatisStateMachineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final RaftGroupId GROUP = RaftGroupId.randomId();

  /** The position of the leader's snapshot. */
  private static final Position SNAPSHOT = new Position(2, 12);

  /** The oldest entry in the leader's log. */
  private static final TermIndex FIRST_IN_LOG = TermIndex.valueOf(2, 10);

  @TempDir Path directory;

  private final Machine machine = new Machine();
  private final List<ConsensusException.Fatal> failures = new ArrayList<>();
  private final AtomicInteger fetches = new AtomicInteger();
  private final List<Long> truncations = new ArrayList<>();
  private final List<String> logCalls = new ArrayList<>();
  private final List<String> installThreads = new ArrayList<>();
  private final List<List<NodeId>> memberships = new ArrayList<>();
  private final AtomicInteger removals = new AtomicInteger();
  private long committed;
  private TermIndex[] log = {};
  private RatisStateMachine adapter;

  private LogFixture node;
  private EntryLog replica;

  @AfterEach
  void closeLog() throws IOException {
    node.close();
  }

  @BeforeEach
  void start() throws IOException {
    node = new LogFixture(directory);
    replica = node.replica();
    adapter =
        new RatisStateMachine(
            machine,
            replica,
            new SnapshotInstallation.Source() {
              @Override
              public GroupId region() {
                return new GroupId(1);
              }

              @Override
              public CompletableFuture<SnapshotFetcher.Fetched> fetch(RaftPeerId leader) {
                fetches.incrementAndGet();
                return CompletableFuture.completedFuture(
                    new SnapshotFetcher.Fetched(directory, SNAPSHOT, 0));
              }
            },
            LogFixture.LOOPS,
            LogFixture.BLOCKING,
            task -> {
              installThreads.add(Thread.currentThread().getName());
              task.run();
            },
            Runnable::run,
            new UnappliedLog(10, 1000),
            new RatisStateMachine.Events() {
              @Override
              public void leads() {}

              @Override
              public void notLeader() {}

              @Override
              public void truncated(long first) {
                truncations.add(first);
              }

              @Override
              public void advanced() {}

              @Override
              public void membersChanged(long index, List<NodeId> members) {
                assertThat(index).isEqualTo(4);
                memberships.add(members);
              }

              @Override
              public void removed() {
                removals.incrementAndGet();
              }

              @Override
              public void failed(ConsensusException.Fatal reason) {
                failures.add(reason);
              }
            });
  }

  @Test
  void aPositionIsDeliveredOnce() {
    adapter.notifyTermIndexUpdated(1, 0);
    adapter.notifyTermIndexUpdated(1, 0);
    adapter.notifyTermIndexUpdated(2, 1);
    assertThat(machine.delivered).containsExactly(new Position(1, 0), new Position(2, 1));
  }

  @Test
  void duringAChangeTheFormerMembersAreReportedToo() {
    adapter.notifyConfigurationChanged(
        1,
        4,
        RaftConfigurationProto.newBuilder()
            .addAllPeers(List.of(peer("n1"), peer("n3")))
            .addAllOldPeers(List.of(peer("n1"), peer("n2")))
            .build());
    assertThat(memberships)
        .containsExactly(List.of(new NodeId("n1"), new NodeId("n3"), new NodeId("n2")));
  }

  private static RaftPeerProto peer(String id) {
    return RaftPeer.newBuilder().setId(id).build().getRaftPeerProto();
  }

  /** Ratis closes the replica in the same way after a failure. */
  @Test
  void aReplicaThatWasRemovedHasNotFailed() {
    adapter.markRemoved();
    adapter.close();
    assertThat(removals).hasValue(1);
    assertThat(failures).isEmpty();
  }

  @Test
  void aTruncationIsReported() {
    adapter.truncate(7);
    assertThat(truncations).containsExactly(7L);
  }

  @Test
  void thereIsNoCapacityUntilTheStateMachineHasSome() {
    machine.capacity = new CompletableFuture<>();
    assertThat(adapter.capacity()).isCompleted();
    deliver(1);
    assertThat(adapter.capacity()).isNotDone();
    machine.capacity.complete(null);
    assertThat(adapter.capacity()).isCompleted();
  }

  @Test
  void closingEndsTheDelivery() {
    AtomicInteger wakes = new AtomicInteger();
    adapter.appliedBy(wakes::incrementAndGet);
    machine.capacity = new CompletableFuture<>();
    deliver(1);
    adapter.startClosing();
    assertThat(wakes).as("who waits for capacity goes on").hasValue(1);
    assertThat(adapter.capacity()).isCompleted();
    deliver(3);
    assertThat(machine.delivered).hasSize(1);
    adapter.close();
    assertThat(failures).isEmpty();
  }

  @Test
  void aStateMachineFailureIsReportedOnceAndEndsTheDelivery() {
    machine.capacity = CompletableFuture.failedFuture(new IOException("disk gone"));
    assertThatThrownBy(() -> adapter.notifyTermIndexUpdated(1, 0))
        .hasRootCauseInstanceOf(IOException.class);
    assertThat(adapter.capacity()).isCompletedExceptionally();
    adapter.close();
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).hasCauseInstanceOf(IOException.class);
  }

  /** Ratis keeps no cause of the end of a replica. */
  @Test
  void anEntryThatCannotBeAppliedIsReportedWithItsCause() {
    IOException cause = new IOException("it cannot be read");
    adapter.applyFailed(5, cause);
    adapter.close();
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).hasMessageContaining("Entry 5").hasCause(cause);
  }

  @Test
  void aFailedLogWriteIsVisibleAtOnceAndReportedOnce() {
    assertThat(adapter.hasLog()).isTrue();
    adapter.logFailed(new IOException("disk gone"));
    assertThat(adapter.hasLog()).isFalse();
    adapter.logFailed(new IOException("and again"));
    assertThat(failures).hasSize(1);
  }

  @Test
  void anUpdaterThatEndsEarlyIsReportedAsFailed() {
    adapter.close();
    assertThat(failures).hasSize(1);
  }

  @Test
  void ratisMayDiscardOnlyWhatIsDurable() {
    assertThat(adapter.getLatestSnapshot()).isNull();
    deliver(3);
    assertThat(adapter.getLatestSnapshot()).isNull();
    machine.durable = new Position(1, 1);
    assertThat(adapter.getLatestSnapshot().getTermIndex().getIndex()).isEqualTo(1);
    assertThat(adapter.getLatestSnapshot().getFiles()).isEmpty();
  }

  @Test
  void aReplicaWhoseLogEndsBeforeTheSnapshotInstallsIt() throws IOException {
    logHolds(1, 7);
    assertThat(notifyInstall().join()).isEqualTo(TermIndex.valueOf(2, 12));
    assertThat(machine.installs).isEqualTo(1);
    assertThat(node.replica().states().installing()).hasValue(12);
    adapter.notifyTermIndexUpdated(2, 12);
    adapter.notifyTermIndexUpdated(2, 13);
    assertThat(machine.delivered).containsExactly(new Position(2, 13));
  }

  @Test
  void aReplicaThatHasCommittedTheLeadersFirstEntryFetchesNothing() throws IOException {
    logHolds(2, 20);
    committed = 11;
    assertThatThrownBy(() -> notifyInstall().join()).hasMessageContaining("beyond index 11");
    assertThat(fetches).hasValue(0);
    assertThat(logCalls).containsExactly("updateSnapshotIndex 11");
  }

  /** Its entries after the snapshot may have been acknowledged. */
  @Test
  void aReplicaWhoseLogExtendsBeyondTheSnapshotKeepsLogAndState() throws IOException {
    logHolds(2, 20);
    committed = 5;
    assertThatThrownBy(() -> notifyInstall().join()).hasMessageContaining("has the log up to");
    assertThat(machine.installs).isZero();
    assertThat(logCalls).containsExactly("updateCommitIndex 12");
  }

  @Test
  void aReplicaWhoseLogEndsWithTheSnapshotInstallsNothing() throws IOException {
    logHolds(2, 12);
    committed = 5;
    assertThatThrownBy(() -> notifyInstall().join()).hasMessageContaining("has the log up to");
    assertThat(machine.installs).isZero();
  }

  /** The shorter log ends at the index of the snapshot, with a different entry. */
  @ParameterizedTest
  @ValueSource(ints = {12, 20})
  void aLogThatDiffersFromTheSnapshotIsTruncatedBeforeTheInstallation(int end) throws IOException {
    logHolds(1, end);
    committed = 5;
    assertThat(notifyInstall().join()).isEqualTo(TermIndex.valueOf(2, 12));
    assertThat(logCalls).containsExactly("truncate 12");
    assertThat(node.replica().states().installing()).hasValue(12);
    assertThat(machine.installs).isEqualTo(1);
    assertThat(installThreads).as("passed to the executor of installations").hasSize(1);
  }

  @Test
  void nothingIsInstalledWhileTheReplicaCloses() throws IOException {
    logHolds(1, 7);
    adapter.startClosing();
    assertThatThrownBy(() -> notifyInstall().join()).hasMessageContaining("closing");
    assertThat(machine.installs).isZero();
  }

  /** Ratis does not wait for the state machine to take up one before it announces the next. */
  @Test
  void twoSnapshotsMayBeTakenUpAtOnce() {
    adapter.getLifeCycle().transition(LifeCycle.State.STARTING);
    adapter.getLifeCycle().transition(LifeCycle.State.RUNNING);
    adapter.pause();
    adapter.pause();
    assertThat(adapter.getLifeCycleState()).isEqualTo(LifeCycle.State.PAUSED);
    adapter.reinitialize();
    adapter.reinitialize();
    assertThat(adapter.getLifeCycleState()).isEqualTo(LifeCycle.State.RUNNING);
  }

  private CompletableFuture<TermIndex> notifyInstall() throws IOException {
    adapter.initialize(server(), GROUP, null);
    return adapter.notifyInstallSnapshotFromLeader(
        RoleInfoProto.newBuilder()
            .setFollowerInfo(
                FollowerInfoProto.newBuilder()
                    .setLeaderInfo(
                        ServerRpcProto.newBuilder()
                            .setId(
                                RaftPeerProto.newBuilder()
                                    .setId(RaftPeerId.valueOf("leader").toByteString()))))
            .build(),
        FIRST_IN_LOG);
  }

  /** Entries of one term, from index 0. */
  private void logHolds(long term, int last) {
    log = new TermIndex[last + 1];
    for (int i = 0; i <= last; i++) {
      log[i] = TermIndex.valueOf(term, i);
    }
  }

  private RaftServer server() {
    RaftLog raftLog =
        fake(
            RaftLog.class,
            (name, argument) ->
                switch (name) {
                  case "getLastCommittedIndex" -> committed;
                  case "getNextIndex" -> (long) log.length;
                  case "contains" -> List.of(log).contains(argument);
                  case "updateSnapshotIndex" -> logCalls.add(name + " " + argument);
                  case "updateCommitIndex" -> logCalls.add(name + " " + argument);
                  case "truncate" -> {
                    logCalls.add(name + " " + argument);
                    yield CompletableFuture.completedFuture(argument);
                  }
                  default -> throw new IllegalStateException(name);
                });
    DivisionInfo info = fake(DivisionInfo.class, (name, argument) -> 2L);
    RaftServer.Division division =
        fake(
            RaftServer.Division.class,
            (name, argument) -> name.equals("getRaftLog") ? raftLog : info);
    return fake(
        RaftServer.class,
        (name, argument) -> name.equals("getId") ? RaftPeerId.valueOf("here") : division);
  }

  private interface Results {
    Object of(String method, Object firstArgument);
  }

  private static <T> T fake(Class<T> type, Results results) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Object result = results.of(method.getName(), arguments == null ? null : arguments[0]);
              return method.getReturnType() == void.class ? null : result;
            }));
  }

  private void deliver(int batches) {
    for (int i = 0; i < batches; i++) {
      adapter.notifyTermIndexUpdated(1, i);
    }
  }

  private static final class Machine implements ReplicatedStateMachine {
    private final List<Position> delivered = new CopyOnWriteArrayList<>();
    private volatile CompletableFuture<Void> capacity = CompletableFuture.completedFuture(null);
    private volatile Position durable = Position.NONE;
    private int installs;

    @Override
    public Position open() {
      return durable;
    }

    @Override
    public KeyScope writeSet(ByteBuffer command) {
      return KeyScope.range(KeyRange.ALL);
    }

    @Override
    public CompletionStage<Void> committed(CommittedBatch batch) {
      delivered.add(batch.position());
      return capacity;
    }

    @Override
    public Position applied() {
      return durable;
    }

    @Override
    public Position durable() {
      return durable;
    }

    @Override
    public CompletionStage<Position> flush() {
      return CompletableFuture.completedFuture(durable);
    }

    @Override
    public Position exportSnapshot(Path into) {
      return durable;
    }

    @Override
    public void install(Path from, Position position) {
      installs++;
      durable = position;
    }
  }
}
