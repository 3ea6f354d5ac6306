package io.quorate.replication.snapshot;

import io.quorate.model.Position;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The messages of a snapshot transfer. The receiver sends requests; the sender responds. */
sealed interface SnapshotMessage {

  /**
   * Requests a snapshot. The response is {@link Opened}.
   *
   * @param replica the name of the requesting replica
   */
  record Open(String replica) implements SnapshotMessage {
    @Override
    public void write(DataOutputStream out) throws IOException {
      out.writeByte(OPEN);
      out.writeUTF(replica);
    }
  }

  /**
   * Describes a snapshot that is ready.
   *
   * @param snapshot the id of the transfer, for later requests
   * @param position the position of the snapshot
   */
  record Opened(UUID snapshot, Position position, List<FileEntry> files)
      implements SnapshotMessage {
    @Override
    public void write(DataOutputStream out) throws IOException {
      out.writeByte(OPENED);
      writeId(out, snapshot);
      out.writeLong(position.epoch());
      out.writeLong(position.index());
      out.writeInt(files.size());
      for (FileEntry file : files) {
        out.writeUTF(file.name());
        out.writeLong(file.bytes());
      }
    }
  }

  /** A file of a snapshot: its name without a directory, and its size in bytes. */
  record FileEntry(String name, long bytes) {}

  /**
   * Requests a chunk of a file. The response is its bytes, without an encoding; it is shorter than
   * {@code length} only at the end of the file or if the sender limits the size of chunks.
   */
  record Read(UUID snapshot, String file, long offset, int length) implements SnapshotMessage {
    @Override
    public void write(DataOutputStream out) throws IOException {
      out.writeByte(READ);
      writeId(out, snapshot);
      out.writeUTF(file);
      out.writeLong(offset);
      out.writeInt(length);
    }
  }

  /** Reports that the snapshot is no longer needed. The response is empty. */
  record Done(UUID snapshot) implements SnapshotMessage {
    @Override
    public void write(DataOutputStream out) throws IOException {
      out.writeByte(DONE);
      writeId(out, snapshot);
    }
  }

  byte OPEN = 1;
  byte OPENED = 2;
  byte READ = 3;
  byte DONE = 4;

  /** Writes the encoding. */
  void write(DataOutputStream out) throws IOException;

  /** The encoding, in a new buffer, from position to limit. */
  default ByteBuffer encoded() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  /**
   * Decodes a message.
   *
   * @param message read from position to limit; its position is not changed
   * @throws IOException if the bytes are not a valid message
   */
  static SnapshotMessage decode(ByteBuffer message) throws IOException {
    byte[] bytes = new byte[message.remaining()];
    message.duplicate().get(bytes);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      byte kind = in.readByte();
      return switch (kind) {
        case OPEN -> new Open(in.readUTF());
        case OPENED -> {
          UUID snapshot = readId(in);
          Position position = new Position(in.readLong(), in.readLong());
          int count = in.readInt();
          if (count < 0) {
            throw new IOException("A snapshot has " + count + " files.");
          }
          List<FileEntry> files = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            files.add(new FileEntry(in.readUTF(), in.readLong()));
          }
          yield new Opened(snapshot, position, files);
        }
        case READ -> new Read(readId(in), in.readUTF(), in.readLong(), in.readInt());
        case DONE -> new Done(readId(in));
        default -> throw new IOException("Unknown snapshot message type " + kind + ".");
      };
    }
  }

  private static void writeId(DataOutputStream out, UUID id) throws IOException {
    out.writeLong(id.getMostSignificantBits());
    out.writeLong(id.getLeastSignificantBits());
  }

  private static UUID readId(DataInputStream in) throws IOException {
    return new UUID(in.readLong(), in.readLong());
  }
}
