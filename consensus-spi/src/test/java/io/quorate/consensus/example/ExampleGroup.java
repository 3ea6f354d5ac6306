package io.quorate.consensus.example;

import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.Guarantee;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A replica: it appends proposals to the log, and delivers the log to its state machine, one batch
 * after the other, on a thread of its own.
 */
final class ExampleGroup implements ConsensusGroup {
  private final EngineContext context;
  private final SharedLog log;
  private final ReplicatedStateMachine machine;
  private final ExecutorService thread;

  /** The proposals of this replica that wait for their results, by their indexes. */
  private final ConcurrentMap<Long, CompletableFuture<ProposeResult>> waiting =
      new ConcurrentHashMap<>();

  /** The index of the next batch; used by the thread alone. */
  private long next;

  /** When the state machine has capacity for it; used by the thread alone. */
  private CompletableFuture<Void> capacity = CompletableFuture.completedFuture(null);

  private volatile boolean isClosed;

  ExampleGroup(EngineContext context, SharedLog log, ReplicatedStateMachine machine)
      throws IOException {
    this.context = context;
    this.log = log;
    this.machine = machine;
    // What is durable survives; everything after it is delivered again.
    this.next = machine.open().index() + 1;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread created = new Thread(task, "example-" + context.self());
              created.setDaemon(true);
              return created;
            });
    log.opened(context.self(), this);
    log.announce();
  }

  boolean isClosed() {
    return isClosed;
  }

  Position durable() {
    return machine.durable();
  }

  @Override
  public CompletionStage<ProposeResult> propose(Command command) {
    CompletableFuture<ProposeResult> outcome = new CompletableFuture<>();
    try {
      requireOpen();
      if (command.size() > ExampleEngineProvider.COMMAND_BYTES_MAX) {
        throw new ConsensusException.Invalid("A command of " + command.size() + " bytes is large.");
      }
      // Under the lock, so that the result cannot arrive before the proposal waits for it.
      synchronized (log) {
        waiting.put(log.append(command.payload()).index(), outcome);
      }
      log.announce();
      if (isClosed) {
        failWaiting();
      }
    } catch (ConsensusException e) {
      outcome.completeExceptionally(e);
    }
    return outcome;
  }

  private void requireOpen() {
    if (isClosed) {
      throw new ConsensusException.Unavailable("This replica is closed.");
    }
  }

  @Override
  public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
    try {
      requireOpen();
      return CompletableFuture.completedFuture(
          switch (guarantee.kind()) {
            case LINEARIZABLE -> log.confirmed();
            case AT_LEAST -> ((Guarantee.AtLeast) guarantee).position();
            case LOCAL -> machine.applied();
            case LINEARIZABLE_IF_CLOCKS_BOUNDED ->
                throw new ConsensusException.Invalid("This engine uses no clocks.");
          });
    } catch (ConsensusException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public GroupStatus view() {
    return new GroupStatus(
        1,
        log.members(),
        Optional.empty(),
        !isClosed && log.hasMajority(),
        log.last(),
        false,
        false);
  }

  @Override
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    return Optional.empty();
  }

  void deliverSoon() {
    try {
      thread.execute(this::deliver);
    } catch (RejectedExecutionException e) {
      // Closed: after the next start it is delivered again.
    }
  }

  private void deliver() {
    try {
      Optional<List<ByteBuffer>> entries = log.from(next);
      if (entries.isEmpty()) {
        if (installSnapshot()) {
          deliverSoon();
        }
        return;
      }
      for (ByteBuffer entry : entries.get()) {
        if (isClosed) {
          return;
        }
        if (!capacity.isDone()) {
          capacity.whenComplete((done, failure) -> deliverSoon());
          return;
        }
        capacity.join();
        capacity = machine.committed(batch(entry)).toCompletableFuture();
        next++;
      }
    } catch (IOException | RuntimeException e) {
      context.fatal().accept(new ConsensusException.Fatal("A replica has failed.", e));
    }
  }

  private CommittedBatch batch(ByteBuffer entry) {
    Position position = SharedLog.position(next);
    return new CommittedBatch(
        position,
        List.of(entry.duplicate()),
        (command, result) -> {
          CompletableFuture<ProposeResult> outcome = waiting.remove(position.index());
          if (outcome != null) {
            outcome.complete(new ProposeResult(position, result));
          }
        });
  }

  /**
   * The log lacks what this replica needs: it takes the state of another one. If none is open, this
   * waits for the next announcement.
   */
  private boolean installSnapshot() throws IOException {
    Optional<ExampleGroup> source = log.other(this);
    if (source.isPresent()) {
      Path directory = Files.createTempDirectory(context.directory(), "snapshot");
      Position position = source.get().machine.exportSnapshot(directory);
      machine.install(directory, position);
      next = position.index() + 1;
    }
    return source.isPresent();
  }

  @Override
  public void close() {
    log.closed(context.self());
    isClosed = true;
    thread.shutdown();
    try {
      if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
        throw new IllegalStateException("The state machine of a replica does not return");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    failWaiting();
  }

  private void failWaiting() {
    waiting
        .keySet()
        .forEach(
            index -> {
              CompletableFuture<ProposeResult> outcome = waiting.remove(index);
              if (outcome != null) {
                outcome.completeExceptionally(
                    new ConsensusException.Indeterminate("This replica was closed.", null));
              }
            });
  }
}
