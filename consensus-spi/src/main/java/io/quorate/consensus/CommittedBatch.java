package io.quorate.consensus;

import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Commands that were committed together. They take effect at one position, in the order of the
 * list.
 *
 * @param position the position of the commands in the group's log
 * @param commands the payloads of the commands, as read-only buffers that stay valid as long as
 *     they are referenced. Empty if the engine only advances its position, for example past a
 *     membership change.
 * @param results receives the result of each command
 */
public record CommittedBatch(Position position, List<ByteBuffer> commands, Results results) {

  /** Receives the result of each command of a batch. */
  @FunctionalInterface
  public interface Results {
    /** Discards all results. For a replica at which no proposal waits for them. */
    Results UNWANTED = (command, result) -> {};

    /**
     * Reports the result of one command. The state machine calls it once for each command, in any
     * order and on any thread. Does not block and does not throw.
     *
     * @param command the index of the command in {@link CommittedBatch#commands()}
     * @param result the encoded result: the bytes between position and limit
     */
    void complete(int command, ByteBuffer result);
  }
}
