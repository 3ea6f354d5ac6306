package io.quorate.consensus.contract;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.Key;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A state machine whose state is the list of delivered commands. It records every violation of the
 * contract by the engine. State that was not flushed is lost when the machine is reopened.
 */
public final class RecordingMachine implements ReplicatedStateMachine {
  private static final String SNAPSHOT = "history";

  /** The state that survives a restart. */
  static final class Disk {
    private List<String> commands = List.of();
    private Position position = Position.NONE;
  }

  private final Disk disk;
  private final List<String> violations;
  private final boolean hibernates;
  private List<String> commands = new ArrayList<>();
  private Position applied = Position.NONE;
  private CompletableFuture<Void> capacity = CompletableFuture.completedFuture(null);
  private CompletableFuture<Void> exportGate = CompletableFuture.completedFuture(null);
  private int beyondCapacity;
  private int exports;
  private int installs;
  private boolean opened;

  /** The last position that was delivered since the machine was opened, or was durable then. */
  private Position redelivered = Position.NONE;

  private boolean completesResults = true;

  /** The position reported as applied while applying is stalled; null otherwise. */
  private Position stalledAt;

  /** The commands up to there. */
  private List<String> stalledCommands = List.of();

  /**
   * @param hibernates whether the engine may open the state again, with what is applied
   */
  RecordingMachine(Disk disk, List<String> violations, boolean hibernates) {
    this.disk = disk;
    this.violations = violations;
    this.hibernates = hibernates;
  }

  @Override
  public synchronized Position open() {
    if (opened && !hibernates) {
      violations.add("opened twice");
    }
    if (!opened) {
      opened = true;
      commands = new ArrayList<>(disk.commands);
      applied = disk.position;
    }
    redelivered = disk.position;
    return redelivered;
  }

  /** The command is the name of the key that it writes. */
  @Override
  public KeyScope writeSet(ByteBuffer command) {
    byte[] name = new byte[command.remaining()];
    command.duplicate().get(name);
    return KeyScope.key(Key.wrap(name));
  }

  @Override
  public synchronized CompletionStage<Void> committed(CommittedBatch batch) {
    if (!opened) {
      violations.add("received " + batch.position() + " before open");
    }
    if (batch.position().index() <= redelivered.index()) {
      violations.add("received " + batch.position() + " after " + redelivered);
    }
    redelivered = batch.position();
    if (applied.covers(batch.position())) {
      // It was applied before the group hibernated.
      return capacity;
    }
    if (!capacity.isDone()) {
      beyondCapacity++;
    }
    for (int i = 0; i < batch.commands().size(); i++) {
      String command =
          StandardCharsets.UTF_8.decode(batch.commands().get(i).duplicate()).toString();
      commands.add(command);
      if (completesResults) {
        batch.results().complete(i, utf8("did " + command));
      }
    }
    applied = batch.position();
    notifyAll();
    return capacity;
  }

  @Override
  public synchronized Position durable() {
    return disk.position;
  }

  @Override
  public synchronized CompletionStage<Position> flush() {
    disk.commands = List.copyOf(commands);
    disk.position = applied;
    return CompletableFuture.completedFuture(disk.position);
  }

  @Override
  public Position exportSnapshot(Path directory) throws IOException {
    exportGate().join();
    synchronized (this) {
      Files.write(directory.resolve(SNAPSHOT), stalledAt == null ? commands : stalledCommands);
      return applied();
    }
  }

  @Override
  public synchronized void install(Path directory, Position position) throws IOException {
    commands = new ArrayList<>(Files.readAllLines(directory.resolve(SNAPSHOT)));
    applied = position;
    redelivered = position;
    installs++;
    flush();
  }

  /** The machine has no capacity until the returned future is completed. */
  public synchronized CompletableFuture<Void> exhaustCapacity() {
    capacity = new CompletableFuture<>();
    return capacity;
  }

  /** Exports block until the returned future is completed. */
  public synchronized CompletableFuture<Void> holdExports() {
    exportGate = new CompletableFuture<>();
    return exportGate;
  }

  /** The number of requested exports. */
  public synchronized int exports() {
    return exports;
  }

  private synchronized CompletableFuture<Void> exportGate() {
    exports++;
    return exportGate;
  }

  /** Commands are still accepted, but their results are never completed. */
  public synchronized void withholdResults() {
    completesResults = false;
  }

  /**
   * The reported applied position does not advance, no result is completed, and exports have the
   * state at that position, until the returned future is completed.
   */
  public synchronized CompletableFuture<Void> stallApply() {
    stalledAt = applied;
    stalledCommands = List.copyOf(commands);
    completesResults = false;
    CompletableFuture<Void> end = new CompletableFuture<>();
    end.thenRun(this::resumeApply);
    return end;
  }

  private synchronized void resumeApply() {
    stalledAt = null;
    completesResults = true;
  }

  /** The number of batches received without capacity. The first one is no violation. */
  public synchronized int batchesBeyondCapacity() {
    return beyondCapacity;
  }

  public synchronized List<String> commands() {
    return List.copyOf(commands);
  }

  @Override
  public synchronized Position applied() {
    return stalledAt == null ? applied : stalledAt;
  }

  public synchronized int installs() {
    return installs;
  }

  public static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }
}
