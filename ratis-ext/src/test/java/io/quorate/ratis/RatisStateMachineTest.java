package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.ratis.snapshot.SnapshotSender;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The adapter alone, called as Ratis' updater does. */
class RatisStateMachineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir Path directory;

  private final Machine machine = new Machine();
  private final List<ConsensusException.Fatal> failures = new ArrayList<>();
  private RatisStateMachine adapter;

  @BeforeEach
  void start() throws IOException {
    adapter =
        new RatisStateMachine(
            machine,
            new SnapshotSender(machine, directory, 1024, Duration.ofMinutes(1), Runnable::run),
            () -> {
              throw new IllegalStateException("nothing is fetched here");
            },
            new RatisStateMachine.Events() {
              @Override
              public void notLeader() {}

              @Override
              public void failed(ConsensusException.Fatal reason) {
                failures.add(reason);
              }
            });
  }

  @Test
  void aPositionIsHandedOverOnce() {
    adapter.notifyTermIndexUpdated(1, 0);
    adapter.notifyTermIndexUpdated(1, 0);
    adapter.notifyTermIndexUpdated(2, 1);
    assertThat(machine.handed).containsExactly(new Position(1, 0), new Position(2, 1));
  }

  @Test
  void theUpdaterWaitsWhileThereIsNoRoom() {
    machine.room = new CompletableFuture<>();
    Thread updater = new Thread(() -> handOver(2));
    updater.start();
    await().atMost(PATIENCE).until(() -> updater.getState() == Thread.State.WAITING);
    assertThat(machine.handed).hasSize(1);
    machine.room.complete(null);
    await().atMost(PATIENCE).until(() -> !updater.isAlive());
    assertThat(machine.handed).hasSize(2);
  }

  @Test
  void closingFreesTheUpdaterAndNothingIsHandedOverAfterwards() {
    machine.room = new CompletableFuture<>();
    Thread updater = new Thread(() -> handOver(3));
    updater.start();
    await().atMost(PATIENCE).until(() -> updater.getState() == Thread.State.WAITING);
    adapter.startClosing();
    await().atMost(PATIENCE).until(() -> !updater.isAlive());
    assertThat(machine.handed).hasSize(1);
    adapter.close();
    assertThat(failures).isEmpty();
  }

  @Test
  void aStateMachineThatFailsEndsTheUpdaterAndIsReportedOnce() {
    machine.room = CompletableFuture.failedFuture(new IOException("disk gone"));
    assertThatThrownBy(() -> adapter.notifyTermIndexUpdated(1, 0))
        .isInstanceOf(IllegalStateException.class);
    adapter.close();
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).hasCauseInstanceOf(IOException.class);
  }

  @Test
  void anUpdaterThatEndsByItselfHasFailed() {
    adapter.close();
    assertThat(failures).hasSize(1);
  }

  @Test
  void ratisMayForgetWhatIsDurableAndNothingMore() {
    assertThat(adapter.getLatestSnapshot()).isNull();
    handOver(3);
    assertThat(adapter.getLatestSnapshot()).isNull();
    machine.durable = new Position(1, 1);
    assertThat(adapter.getLatestSnapshot().getTermIndex().getIndex()).isEqualTo(1);
    assertThat(adapter.getLatestSnapshot().getFiles()).isEmpty();
  }

  private void handOver(int batches) {
    for (int i = 0; i < batches; i++) {
      adapter.notifyTermIndexUpdated(1, i);
    }
  }

  private static final class Machine implements ReplicatedStateMachine {
    private final List<Position> handed = new CopyOnWriteArrayList<>();
    private volatile CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
    private volatile Position durable = Position.NONE;

    @Override
    public Position open() {
      return durable;
    }

    @Override
    public CompletionStage<Void> committed(CommittedBatch batch) {
      handed.add(batch.position());
      return room;
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
      durable = position;
    }
  }
}
