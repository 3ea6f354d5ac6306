package io.quorate.consensus.snapshot;

import io.quorate.consensus.Position;
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

/** What the two sides of a snapshot transfer say to each other. */
sealed interface SnapshotMessage {

  /**
   * Asks for a snapshot; answered by {@link Opened}.
   *
   * @param replica who asks
   */
  record Open(String replica) implements SnapshotMessage {}

  /**
   * @param snapshot names it in later requests
   * @param position what state it holds
   */
  record Opened(UUID snapshot, Position position, List<FileEntry> files)
      implements SnapshotMessage {}

  /** A file of a snapshot, by its plain name. */
  record FileEntry(String name, long bytes) {}

  /** Asks for a piece of a file; answered by its bytes. */
  record Read(UUID snapshot, String file, long offset, int length) implements SnapshotMessage {}

  /** Says that the snapshot is no longer needed; answered by nothing. */
  record Done(UUID snapshot) implements SnapshotMessage {}

  byte OPEN = 1;
  byte OPENED = 2;
  byte READ = 3;
  byte DONE = 4;

  /** To be read from position to limit, by whoever gets it. */
  default ByteBuffer encoded() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      if (this instanceof Open open) {
        out.writeByte(OPEN);
        out.writeUTF(open.replica());
      } else if (this instanceof Opened opened) {
        out.writeByte(OPENED);
        writeId(out, opened.snapshot());
        out.writeLong(opened.position().epoch());
        out.writeLong(opened.position().index());
        out.writeInt(opened.files().size());
        for (FileEntry file : opened.files()) {
          out.writeUTF(file.name());
          out.writeLong(file.bytes());
        }
      } else if (this instanceof Read read) {
        out.writeByte(READ);
        writeId(out, read.snapshot());
        out.writeUTF(read.file());
        out.writeLong(read.offset());
        out.writeInt(read.length());
      } else if (this instanceof Done done) {
        out.writeByte(DONE);
        writeId(out, done.snapshot());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  /**
   * @param message read from position to limit, and not moved
   * @throws IOException if the bytes are no such message
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
        default -> throw new IOException("There is no snapshot message " + kind + ".");
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
