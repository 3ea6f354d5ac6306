package io.quorate.rabia.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.quorate.common.DecodeException;
import io.quorate.model.Position;
import io.quorate.rabia.codec.RecordCodec;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The core's part of a snapshot: one record in the format of the log. */
final class CheckpointFile {
  private static final String NAME = "rabia-checkpoint";

  private CheckpointFile() {}

  static void write(Path directory, Checkpoint checkpoint) throws IOException {
    ByteBuf bytes = Unpooled.buffer();
    RecordCodec.write(
        new LogRecord.Checkpointed(checkpoint, new LogRecord.Reservation(0, 0)), bytes);
    Files.write(
        directory.resolve(NAME),
        ByteBufUtil.getBytes(bytes),
        StandardOpenOption.CREATE_NEW,
        StandardOpenOption.WRITE,
        StandardOpenOption.SYNC);
  }

  /**
   * Reads and deletes the file; the remaining files belong to the state machine.
   *
   * @param state the position of their state
   * @throws IOException if the checkpoint is of a later position: whoever continued from it would
   *     not execute the slots in between; or if it cannot be read
   */
  static Checkpoint take(Path directory, Position state) throws IOException {
    Checkpoint checkpoint = take(directory);
    if (!state.covers(checkpoint.at())) {
      throw new IOException(
          "The snapshot has a state at "
              + state
              + " and a checkpoint at "
              + checkpoint.at()
              + ", which is later; a newer snapshot is requested.");
    }
    return checkpoint;
  }

  private static Checkpoint take(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    byte[] bytes = Files.readAllBytes(file);
    Files.delete(file);
    try {
      if (RecordCodec.read(Unpooled.wrappedBuffer(bytes)) instanceof LogRecord.Checkpointed found) {
        return found.checkpoint();
      }
    } catch (DecodeException e) {
      throw new IOException("The checkpoint of a snapshot cannot be read: " + e.getMessage(), e);
    }
    throw new IOException("The checkpoint of a snapshot is a record of another kind.");
  }
}
