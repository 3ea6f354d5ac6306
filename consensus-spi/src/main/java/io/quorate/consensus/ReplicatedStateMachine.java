package io.quorate.consensus;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;

/**
 * The state that a group replicates. An engine calls these methods one at a time, except {@link
 * #applied}, {@link #durable}, {@link #footprint}, {@link #exportSnapshot} and {@link #flush},
 * which may be called from any thread.
 */
public interface ReplicatedStateMachine {

  /**
   * Makes the state ready and says what it holds. Called once, before anything else; may block.
   *
   * @return the position up to which the state survives power loss; {@link Position#NONE} for an
   *     empty state. The engine hands over every batch after it.
   * @throws IOException if the state cannot be read; nothing has changed
   */
  Position open() throws IOException;

  /**
   * Which keys a command may write. Pure: it depends on nothing but the bytes, and may be asked
   * before the command is agreed on. Any thread; does not block.
   *
   * @param command as it was proposed; the buffer's bounds are left alone. Of bytes that are no
   *     command everything is said.
   */
  KeyScope footprint(ByteBuffer command);

  /**
   * Takes a batch that the group agreed on. Batches come in the order of their positions, each once
   * between two calls of {@link #open}. Does not block.
   *
   * @return completes when there is room for the next batch; the engine hands none over before. It
   *     says nothing about the batch having been applied.
   */
  CompletionStage<Void> committed(CommittedBatch batch);

  /**
   * Up to where batches are applied. An engine that sees it stand still behind what it handed over
   * takes this replica for one that cannot serve. Does not block; never goes back except by {@link
   * #install}.
   */
  Position applied();

  /**
   * Up to where the state survives power loss. The engine may forget what it needs to restore
   * anything up to here. Does not block; never goes back except by {@link #install}.
   */
  Position durable();

  /** Makes everything applied so far durable. Does not block; completes with {@link #durable}. */
  CompletionStage<Position> flush();

  /**
   * Writes the whole state, as of one position, as files into an empty directory, synced. May block
   * for as long as that takes; batches go on being applied meanwhile.
   *
   * @return the position that the files stand for
   * @throws IOException if it could not be written; the directory may hold anything
   */
  Position exportSnapshot(Path directory) throws IOException;

  /**
   * Replaces the whole state by an exported one. May block. No batch is handed over meanwhile. When
   * it returns, the new state is durable. It is all or nothing, also across a crash: the next
   * {@link #open} reports either the old position or the new one.
   *
   * @param directory files made by {@link #exportSnapshot}; the state machine may move them away
   * @throws IOException if the files are not whole; the old state stays
   */
  void install(Path directory, Position position) throws IOException;
}
