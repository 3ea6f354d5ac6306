package io.quorate.server.node;

import io.quorate.common.DurableFiles;
import io.quorate.common.FileErrors;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The data directory of a node, locked exclusively while it is open.
 *
 * <pre>
 * identity     which cluster and node the directory belongs to, its format, and the settings that
 *              its files depend on
 * lock         locked while a process uses the directory
 * storage/     rows
 * consensus/   the engine's logs
 * replicas/    which replicas the node has
 * </pre>
 */
public final class DataDirectory implements AutoCloseable {
  private static final String IDENTITY_FILE = "identity";

  /** Of what a probe of the device removes, unless it is killed. */
  private static final String PROBE_SUFFIX = "-probe.tmp";

  private static final String LOCK_FILE = "lock";
  private static final String REPLICAS = "replicas";

  private final Path root;
  private final FileChannel lockChannel;
  private final UUID disk;

  private DataDirectory(Path root, FileChannel lockChannel, UUID disk) {
    this.root = root;
    this.lockChannel = lockChannel;
    this.disk = disk;
  }

  /**
   * Locks the directory, and writes this node's identity into it if it is new or empty. Blocks.
   *
   * @throws StartupException if the directory is in use, has another identity, or cannot be
   *     written; it is unchanged then
   */
  static DataDirectory open(Path root, DataIdentity expected) {
    try {
      Files.createDirectories(root);
      FileChannel channel = lock(root);
      try {
        UUID disk = claim(root, expected);
        Files.createDirectories(root.resolve("storage"));
        Files.createDirectories(root.resolve("consensus"));
        DurableFiles.syncDirectory(root);
        return new DataDirectory(root, channel, disk);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new StartupException(
          "Data directory " + root + " (node.data) cannot be used: " + FileErrors.describe(e) + ".",
          e);
    }
  }

  /** The identity that the directory received when it was created. */
  UUID disk() {
    return disk;
  }

  /** The directory itself. */
  Path root() {
    return root;
  }

  /** The directory of storage. */
  Path storage() {
    return root.resolve("storage");
  }

  /** The directory of the consensus engine. */
  Path consensus() {
    return root.resolve("consensus");
  }

  /** The directory of {@link ReplicaRecords}. */
  Path replicas() {
    return root.resolve(REPLICAS);
  }

  /** Free space in bytes on the file system of the directory. Blocks. */
  long freeBytes() throws IOException {
    FileStore store = Files.getFileStore(root);
    return store.getUsableSpace();
  }

  /** Unlocks the directory. Further calls have no effect. */
  @Override
  public void close() throws IOException {
    lockChannel.close();
  }

  /** Whether a process has locked the directory. Changes nothing. */
  public static boolean isInUse(Path root) throws IOException {
    if (!Files.exists(root.resolve(LOCK_FILE))) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(root.resolve(LOCK_FILE), StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock == null;
    } catch (OverlappingFileLockException e) {
      return true;
    }
  }

  private static FileChannel lock(Path root) throws IOException {
    FileChannel channel =
        FileChannel.open(
            root.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw inUse(root);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw inUse(root);
  }

  private static StartupException inUse(Path root) {
    return new StartupException(
        "Data directory "
            + root
            + " (node.data) is in use by another process; stop that one or name another"
            + " directory.");
  }

  private static UUID claim(Path root, DataIdentity expected) throws IOException {
    Path file = root.resolve(IDENTITY_FILE);
    if (Files.exists(file)) {
      DataIdentity found = DataIdentity.parse(Files.readString(file));
      expected.requireSame(found, "Data directory " + root + " (node.data)");
      if (!Files.exists(root.resolve(REPLICAS))) {
        // An earlier build has used the directory, and kept no records.
        ReplicaRecords.create(root.resolve(REPLICAS), true);
      }
      return found.disk().isPresent() ? found.disk().get() : write(root, expected);
    }
    try (Stream<Path> entries = Files.list(root)) {
      if (entries.anyMatch(entry -> !isFromFirstStart(entry))) {
        throw new StartupException(
            "Data directory "
                + root
                + " (node.data) holds files but no identity; name an empty directory, or the one"
                + " this node used before.");
      }
    }
    // First, because a directory with an identity and without records is one of an earlier build.
    ReplicaRecords.create(root.resolve(REPLICAS), false);
    return write(root, expected);
  }

  private static UUID write(Path root, DataIdentity identity) throws IOException {
    UUID disk = UUID.randomUUID();
    DurableFiles.replace(
        root.resolve(IDENTITY_FILE),
        root.resolve(IDENTITY_FILE + ".draft"),
        ByteBuffer.wrap(identity.on(disk).format().getBytes(StandardCharsets.UTF_8)));
    return disk;
  }

  /**
   * Whether an interrupted first start, a probe of the device, or the file system itself may have
   * created the entry.
   */
  private static boolean isFromFirstStart(Path entry) {
    String name = entry.getFileName().toString();
    return name.equals(LOCK_FILE)
        || name.startsWith(IDENTITY_FILE)
        || name.startsWith(REPLICAS)
        || name.endsWith(PROBE_SUFFIX)
        || name.equals("lost+found");
  }
}
