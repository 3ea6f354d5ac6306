package io.quorate.storage.apply;

import io.quorate.common.DecodeException;
import io.quorate.consensus.CommittedBatch;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A committed batch on its way to its results, each command of which is decoded once: by the {@link
 * CommitStage} if that looks into commands, otherwise when it is applied. A decoded form takes
 * about 250 bytes of heap beside the bytes of the command, to which the values refer; it is kept as
 * long as the batch, or until it is {@linkplain #release released}.
 *
 * <p>Handed from the engine's thread to the applier's by the {@link ApplyQueue}. If two threads
 * should decode a command at once, each gets an equal one.
 */
final class DecodedBatch {
  private final Position position;
  private final List<ByteBuffer> commands;
  private final CommittedBatch.Results results;

  /** Null for commands that nobody has needed yet, and for malformed ones. */
  private final ClientCommand[] decoded;

  private final long bytes;

  private DecodedBatch(
      Position position,
      List<ByteBuffer> commands,
      CommittedBatch.Results results,
      ClientCommand[] decoded,
      long bytes) {
    this.position = position;
    this.commands = commands;
    this.results = results;
    this.decoded = decoded;
    this.bytes = bytes;
  }

  static DecodedBatch of(CommittedBatch batch) {
    long bytes = 0;
    for (ByteBuffer command : batch.commands()) {
      bytes += command.remaining();
    }
    return new DecodedBatch(
        batch.position(),
        batch.commands(),
        batch.results(),
        new ClientCommand[batch.commands().size()],
        bytes);
  }

  /** The same commands with another receiver of their results. */
  DecodedBatch withResults(CommittedBatch.Results receiver) {
    return new DecodedBatch(position, commands, receiver, decoded, bytes);
  }

  Position position() {
    return position;
  }

  CommittedBatch.Results results() {
    return results;
  }

  /** Number of commands; 0 if the engine only advances its position. */
  int size() {
    return decoded.length;
  }

  /** Length of the encoded commands in bytes. */
  long bytes() {
    return bytes;
  }

  /**
   * A command of the batch.
   *
   * @param index from 0 to {@link #size()} - 1
   * @throws DecodeException each time if the bytes are not a valid command
   */
  ClientCommand command(int index) {
    ClientCommand known = decoded[index];
    if (known == null) {
      known = ClientCommand.decode(commands.get(index));
      decoded[index] = known;
    }
    return known;
  }

  /** Drops the decoded forms; commands that are needed are decoded again. */
  void release() {
    Arrays.fill(decoded, null);
  }
}
