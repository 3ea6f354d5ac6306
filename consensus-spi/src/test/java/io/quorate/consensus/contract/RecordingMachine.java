package io.quorate.consensus.contract;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
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
 * A state machine that is its own history: its state is the list of commands it was handed, and it
 * notes whenever an engine breaks the contract. What was not flushed is lost when it is reopened.
 */
public final class RecordingMachine implements ReplicatedStateMachine {
  private static final String SNAPSHOT = "history";

  /** What survives a restart. */
  static final class Disk {
    private List<String> commands = List.of();
    private Position position = Position.NONE;
  }

  private final Disk disk;
  private final List<String> violations;
  private List<String> commands = new ArrayList<>();
  private Position applied = Position.NONE;
  private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
  private CompletableFuture<Void> exportGate = CompletableFuture.completedFuture(null);
  private int withoutRoom;
  private int exports;
  private int installs;
  private boolean opened;
  private boolean answering = true;

  /** Null where everything is applied at once. */
  private Position stuckAt;

  RecordingMachine(Disk disk, List<String> violations) {
    this.disk = disk;
    this.violations = violations;
  }

  @Override
  public synchronized Position open() {
    if (opened) {
      violations.add("opened twice");
    }
    opened = true;
    commands = new ArrayList<>(disk.commands);
    applied = disk.position;
    return applied;
  }

  /** A command is the name of a key that it writes. */
  @Override
  public KeyScope writeSet(ByteBuffer command) {
    byte[] name = new byte[command.remaining()];
    command.duplicate().get(name);
    return KeyScope.key(Key.wrap(name));
  }

  @Override
  public synchronized CompletionStage<Void> committed(CommittedBatch batch) {
    if (!opened) {
      violations.add("handed " + batch.position() + " before open");
    }
    if (batch.position().index() <= applied.index()) {
      violations.add("handed " + batch.position() + " after " + applied);
    }
    if (!room.isDone()) {
      withoutRoom++;
    }
    for (int i = 0; i < batch.commands().size(); i++) {
      String command =
          StandardCharsets.UTF_8.decode(batch.commands().get(i).duplicate()).toString();
      commands.add(command);
      if (answering) {
        batch.results().complete(i, utf8("did " + command));
      }
    }
    applied = batch.position();
    notifyAll();
    return room;
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
      Files.write(directory.resolve(SNAPSHOT), commands);
      return applied;
    }
  }

  @Override
  public synchronized void install(Path directory, Position position) throws IOException {
    commands = new ArrayList<>(Files.readAllLines(directory.resolve(SNAPSHOT)));
    applied = position;
    installs++;
    flush();
  }

  /** From now on the machine has no room, until the returned future is completed. */
  public synchronized CompletableFuture<Void> takeNoMore() {
    room = new CompletableFuture<>();
    return room;
  }

  /** From now on no export is made, until the returned future is completed. */
  public synchronized CompletableFuture<Void> holdExports() {
    exportGate = new CompletableFuture<>();
    return exportGate;
  }

  /** How many exports have been asked for. */
  public synchronized int exports() {
    return exports;
  }

  private synchronized CompletableFuture<Void> exportGate() {
    exports++;
    return exportGate;
  }

  /** From now on commands are taken and never answered. */
  public synchronized void answerNoMore() {
    answering = false;
  }

  /** From now on nothing seems to be applied, until the returned future is completed. */
  public synchronized CompletableFuture<Void> applyNoMore() {
    stuckAt = applied;
    answering = false;
    CompletableFuture<Void> end = new CompletableFuture<>();
    end.thenRun(this::applyAgain);
    return end;
  }

  private synchronized void applyAgain() {
    stuckAt = null;
    answering = true;
  }

  /** How many batches came although there was no room. The first one is no violation. */
  public synchronized int handedWithoutRoom() {
    return withoutRoom;
  }

  public synchronized List<String> commands() {
    return List.copyOf(commands);
  }

  @Override
  public synchronized Position applied() {
    return stuckAt == null ? applied : stuckAt;
  }

  public synchronized int installs() {
    return installs;
  }

  public static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }
}
