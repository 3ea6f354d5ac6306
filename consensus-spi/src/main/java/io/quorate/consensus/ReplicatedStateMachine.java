package io.quorate.consensus;

import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;

/**
 * The state that a group replicates. An engine never calls {@link #open}, {@link #committed} and
 * {@link #install} concurrently. It may call the other methods from any thread, concurrently with
 * these and with each other.
 */
public interface ReplicatedStateMachine {

  /**
   * Opens the state. Called once each time the engine opens the group, before any other method, and
   * again each time it starts the replica of a group that hibernated; the applied state is kept
   * then, and batches after the durable position are delivered again. May block.
   *
   * @return the durable position: the state up to it survives power loss. {@link Position#NONE} for
   *     an empty state. The engine delivers every batch after it.
   * @throws IOException if the state cannot be read; nothing has changed
   */
  Position open() throws IOException;

  /**
   * Computes the write set of a command: the keys that it may write. The result depends only on the
   * bytes of the command, so the engine may call it before the command is committed. Any thread;
   * does not block.
   *
   * @param command the payload as proposed; the bounds of the buffer are not changed
   * @return a scope that includes every key the command may write. A malformed command conflicts
   *     with every key of the group.
   */
  KeyScope writeSet(ByteBuffer command);

  /**
   * Accepts a committed batch, to be applied later. Between two calls of {@link #open} the engine
   * delivers each batch once, in the order of positions; the indexes increase but need not be
   * consecutive. Does not block.
   *
   * @return back-pressure: completes when the state machine has capacity for the next batch, which
   *     the engine does not deliver earlier. Completion does not imply that the batch is applied. A
   *     failure of the stage stops the replica.
   */
  CompletionStage<Void> committed(CommittedBatch batch);

  /**
   * The applied position: every batch up to it is applied. While it does not advance although
   * delivered batches are pending, an engine may treat this replica as unable to serve. Any thread;
   * does not block. Decreases only by {@link #install}.
   */
  Position applied();

  /**
   * The durable position: the state up to it survives power loss. The engine may truncate its log
   * up to this position. Any thread; does not block. Decreases only by {@link #install}.
   */
  Position durable();

  /**
   * Makes everything durable that has been applied so far. Any thread; does not block.
   *
   * @return completes with the new {@link #durable} position
   */
  CompletionStage<Position> flush();

  /**
   * Writes a snapshot of the whole state at one position as files, and syncs them. Any thread;
   * blocks until the files are written. Batches continue to be applied meanwhile.
   *
   * @param directory an existing, empty directory
   * @return the position of the snapshot
   * @throws IOException if the snapshot could not be written; the content of the directory is
   *     undefined then
   */
  Position exportSnapshot(Path directory) throws IOException;

  /**
   * Replaces the whole state by a snapshot. May block; the engine delivers no batch meanwhile. When
   * the call returns, the new state is durable. The replacement is atomic, also across a crash: the
   * next {@link #open} returns either the old position or the new one.
   *
   * @param directory the files written by {@link #exportSnapshot}; the state machine may move them
   * @param position the position of the snapshot
   * @throws IOException if the files are incomplete or corrupt, in which case the old state remains
   */
  void install(Path directory, Position position) throws IOException;
}
