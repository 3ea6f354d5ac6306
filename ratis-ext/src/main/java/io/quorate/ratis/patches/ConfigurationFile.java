package io.quorate.ratis.patches;

import io.quorate.common.Checksums;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.common.ReplicaReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * The file that holds the last configuration of a replica that is known to it from its log or from
 * a leader: the log itself may have been purged up to a later entry. A line with the number of the
 * format, the entry as Ratis encodes it, which is empty while no configuration is known, and a
 * CRC-32C of both. All methods block.
 *
 * <p>Ratis 3.3.0 writes the configuration without a checksum, and reads an unreadable one as none
 * (decision 0067).
 *
 * <p>Upstream: not reported. Fails without it: {@code ConfigurationFileTest}, {@code
 * RaftStorageImplTest}. Can go when the file of Ratis has a checksum, its failures are reported,
 * and it never goes back.
 */
public final class ConfigurationFile {
  private static final String NAME = "raft-meta.conf";
  private static final byte[] FORMAT =
      "quorate configuration 1\n".getBytes(StandardCharsets.US_ASCII);
  private static final int BYTES_MIN = FORMAT.length + Integer.BYTES;

  /** Many times what the members of a group need. */
  private static final int BYTES_MAX = 1 << 20;

  private ConfigurationFile() {}

  /** The file in the directory of a replica. */
  public static Path in(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * Reads the file; empty if the replica has not known any configuration yet.
   *
   * @throws DamagedLogException if it is not as it was written
   */
  public static Optional<LogEntryProto> read(Path file) throws IOException {
    byte[] content = ReplicaReads.all(file, BYTES_MAX);
    int end = content.length - Integer.BYTES;
    if (content.length < BYTES_MIN
        || !Arrays.equals(content, 0, FORMAT.length, FORMAT, 0, FORMAT.length)
        || ByteBuffer.wrap(content).getInt(end) != Checksums.of(ByteBuffer.wrap(content, 0, end))) {
      throw damaged(file);
    }
    if (content.length == BYTES_MIN) {
      return Optional.empty();
    }
    try {
      LogEntryProto entry =
          LogEntryProto.parseFrom(ByteBuffer.wrap(content, FORMAT.length, end - FORMAT.length));
      if (entry.hasConfigurationEntry()) {
        return Optional.of(entry);
      }
    } catch (InvalidProtocolBufferException e) {
      // Reported below.
    }
    throw damaged(file);
  }

  private static DamagedLogException damaged(Path file) {
    return new DamagedLogException(
        String.format(
            Locale.ROOT,
            "The file %s, which holds the members of this replica's group, differs from what was written: the replica could take part with former members",
            file));
  }

  /**
   * Replaces the file; it is durable when the call returns, under its name.
   *
   * @param entry has a configuration
   */
  public static void write(Path file, LogEntryProto entry) throws IOException {
    replace(file, entry.toByteArray());
  }

  /**
   * Lets a new replica begin without a configuration. Has no effect on a replica that exists.
   * Durable when the call returns.
   *
   * @param directory of Ratis' files of the replica
   */
  public static void begin(Path directory) throws IOException {
    if (!Files.exists(in(directory))) {
      replace(in(directory), new byte[0]);
    }
  }

  /**
   * Checks the file of a replica that is about to be opened, and makes it durable: it may be in
   * memory only. Has no effect on a new replica.
   *
   * @param directory of Ratis' files of the replica, which may not exist yet
   * @throws DamagedLogException if the file is not as it was written
   */
  public static void inspect(Path directory) throws IOException {
    Path file = in(directory);
    if (Files.exists(file)) {
      replace(file, read(file).map(LogEntryProto::toByteArray).orElse(new byte[0]));
    }
  }

  private static void replace(Path file, byte[] entry) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(BYTES_MIN + entry.length);
    content.put(FORMAT).put(entry);
    content.putInt(Checksums.of(content.slice(0, content.position()))).flip();
    DurableFiles.replace(file, file.resolveSibling(NAME + ".draft"), content);
  }
}
