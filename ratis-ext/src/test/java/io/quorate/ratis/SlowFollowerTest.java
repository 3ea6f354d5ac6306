package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.model.NodeId;
import io.quorate.ratis.flow.UnappliedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.KeptContexts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A follower without capacity in its state machine, while the leader commits with the other. */
class SlowFollowerTest {
  private static final Failpoint BEFORE_SEND = Failpoint.named("raft.append.before-send");
  private static final int ENTRIES_MAX = 50;
  private static final int APPENDS_IN_FLIGHT = 4;

  @TempDir Path directory;

  private final List<String> expected = new ArrayList<>();
  private ContractCluster cluster;
  private NodeId leader;
  private NodeId slow;
  private CompletableFuture<Void> capacity;

  @BeforeEach
  void start() throws IOException {
    EngineSettings settings =
        new EngineSettings(
            "raft",
            FastSettings.with(
                Map.of(
                    "unapplied-entries-max",
                    Integer.toString(ENTRIES_MAX),
                    "appends-in-flight-max",
                    Integer.toString(APPENDS_IN_FLIGHT),
                    "log-retained-for-slow-entries",
                    "100000")));
    cluster = new ContractCluster(new RatisEngineProvider(), settings, directory, 3).startAll();
    write(10);
    leader = cluster.awaitServingId();
    slow =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(leader))
            .findFirst()
            .orElseThrow();
    capacity = cluster.node(slow).machine().exhaustCapacity();
  }

  @AfterEach
  void closeAndCheck() {
    BEFORE_SEND.off();
    capacity.complete(null);
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  /** Writes commands, each in an entry of its own. */
  private List<ProposeResult> write(int count) {
    List<ProposeResult> outcomes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String command = "c" + expected.size();
      expected.add(command);
      outcomes.add(cluster.propose(command));
    }
    return outcomes;
  }

  private RaftServer.Division division(NodeId node) throws IOException {
    return ((RatisEngine) cluster.node(node).engine()).division(cluster.spec());
  }

  private UnappliedLog unapplied() throws IOException {
    return ((RatisStateMachine) division(slow).getStateMachine()).unapplied();
  }

  private void awaitEverythingAt(NodeId node) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.node(node).machine().commands()).isEqualTo(expected));
  }

  /**
   * Ratis itself would keep a context, with the entry in it, for each unapplied entry, without a
   * bound.
   */
  @Test
  void noContextOfAnUnappliedEntryIsKept() throws IOException {
    write(ENTRIES_MAX - 10);
    long last = division(leader).getRaftLog().getLastEntryTermIndex().getIndex();
    await().atMost(PATIENCE).until(() -> division(slow).getRaftLog().getFlushIndex() >= last);
    // An entry that is being added to the log or applied may have a context.
    assertThat(KeptContexts.of(division(slow))).isLessThanOrEqualTo(2);
    capacity.complete(null);
    awaitEverythingAt(slow);
  }

  @Test
  void itsLogIsBoundedWhileTheLeaderContinues() throws IOException {
    long term = division(leader).getInfo().getCurrentTerm();
    write(ENTRIES_MAX + 20);
    await().atMost(PATIENCE).until(() -> unapplied().isFull());

    AtomicInteger sent = new AtomicInteger();
    BEFORE_SEND.on(
        (failpoint, subject) -> {
          if (subject instanceof AppendEntriesRequestProto request
              && request.getEntriesCount() > 0
              && slow.value().equals(request.getServerRequest().getReplyId().toStringUtf8())) {
            sent.incrementAndGet();
          }
        });
    List<ProposeResult> outcomes = write(300);
    long behind =
        outcomes.get(outcomes.size() - 1).position().index()
            - division(slow).getRaftLog().getLastEntryTermIndex().getIndex();
    assertThat(behind).as("entries that the follower has not accepted").isGreaterThan(250);
    // The requests that were in flight when the follower signalled back-pressure.
    assertThat(sent.get())
        .as("requests with entries that it rejects")
        .isLessThanOrEqualTo(2 * APPENDS_IN_FLIGHT);
    assertThat(division(leader).getInfo().getCurrentTerm())
        .as("the term, if there was no election")
        .isEqualTo(term);

    capacity.complete(null);
    awaitEverythingAt(slow);
  }

  /** Writes that need its acknowledgement wait, and complete when it has capacity again. */
  @Test
  void writesThatNeedTheSlowFollowerWaitForItsCapacity() throws IOException {
    NodeId other =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(leader) && !id.equals(slow))
            .findFirst()
            .orElseThrow();
    write(ENTRIES_MAX + 20);
    await().atMost(PATIENCE).until(() -> unapplied().isFull());
    cluster.stop(other);
    CompletableFuture<ProposeResult> write =
        ContractCluster.proposeAt(cluster.node(leader), "needs the slow one");
    expected.add("needs the slow one");
    long before = division(slow).getRaftLog().getLastEntryTermIndex().getIndex();
    assertThat(write).isNotDone();
    capacity.complete(null);
    assertThat(write.join().position().index()).isGreaterThan(before);
    awaitEverythingAt(slow);
  }
}
