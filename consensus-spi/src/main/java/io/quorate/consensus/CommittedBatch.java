package io.quorate.consensus;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Commands that were agreed on together and take effect at one position, in the order of the list.
 *
 * @param position where they stand in the group's order
 * @param commands their payloads, read-only; valid for as long as they are referenced. Empty when
 *     the engine only advances its position, for example past a membership change.
 * @param results where the state machine's answers go
 */
public record CommittedBatch(Position position, List<ByteBuffer> commands, Results results) {

  /** Takes the answer to each command of a batch. */
  @FunctionalInterface
  public interface Results {
    /** For a replica at which nobody waits. */
    Results UNWANTED = (command, result) -> {};

    /**
     * Hands over the answer to one command. Any thread; does not block and does not throw. Called
     * once a command, in any order.
     *
     * @param command index into {@link CommittedBatch#commands()}
     * @param result the bytes between position and limit
     */
    void complete(int command, ByteBuffer result);
  }
}
