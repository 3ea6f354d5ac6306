package io.quorate.server.node.directory;

import io.quorate.common.DurableFiles;
import io.quorate.common.FileErrors;
import io.quorate.common.PrivateDirectory;
import io.quorate.consensus.Starts;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that belongs to one node: locked exclusively while it is open, and with a file that
 * identifies the node. Every method blocks on I/O.
 */
final class LockedDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockedDirectory.class);
  private static final String IDENTITY_FILE = "identity";
  private static final String LOCK_FILE = "lock";

  /** Of what a probe of the device removes, unless it is killed. */
  private static final String PROBE_SUFFIX = "-probe.tmp";

  private final Path root;
  private final String name;
  private final FileChannel lockChannel;

  private LockedDirectory(Path root, String name, FileChannel lockChannel) {
    this.root = root;
    this.name = name;
    this.lockChannel = lockChannel;
  }

  /**
   * Locks a directory, and creates it if it does not exist, for its owner alone.
   *
   * @param name the directory in messages
   * @throws StartupException if it is in use or cannot be written
   */
  static LockedDirectory lock(Path root, String name) {
    try {
      PrivateDirectory.create(root);
      if (PrivateDirectory.isOpenToOthers(root)) {
        LOG.atWarn()
            .addKeyValue("directory", root)
            .log("Other users of this machine can enter the directory; chmod o-rwx it");
      }
      return new LockedDirectory(root, name, lockChannel(root, name));
    } catch (IOException e) {
      throw unusable(name, e);
    }
  }

  /** The failure of an operation on a directory. */
  static StartupException unusable(String name, IOException cause) {
    return StartupException.ofFiles(
        name + " cannot be used: " + FileErrors.endOfSentence(cause), cause);
  }

  private static FileChannel lockChannel(Path root, String name) throws IOException {
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
      throw inUse(name);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw inUse(name);
  }

  private static StartupException inUse(String name) {
    return new StartupException(
        name + " is in use by another process; stop that one or name another directory.");
  }

  /** Whether a process has locked the directory. Changes nothing. */
  static boolean isInUse(Path root) throws IOException {
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

  /** The directory itself. */
  Path root() {
    return root;
  }

  /** The directory in messages. */
  String name() {
    return name;
  }

  /** Free space in bytes on the file system of the directory. */
  long freeBytes() throws IOException {
    return Files.getFileStore(root).getUsableSpace();
  }

  /**
   * The identity; empty if there is none.
   *
   * @throws StartupException if it is damaged or cannot be read
   */
  Optional<DataIdentity> identity() {
    Path file = root.resolve(IDENTITY_FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(DataIdentity.parse(Files.readString(file)));
    } catch (IOException e) {
      throw new StartupException(
          "The file "
              + file
              + ", which says whose directory this is, is damaged ("
              + FileErrors.describe(e)
              + "): "
              + FileErrors.REMEDY
              + ".",
          e);
    }
  }

  /** Writes or replaces the identity, durably. */
  void identify(DataIdentity identity) throws IOException {
    DurableFiles.replace(
        root.resolve(IDENTITY_FILE),
        root.resolve(IDENTITY_FILE + ".draft"),
        ByteBuffer.wrap(identity.format().getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Requires that nothing is in the directory but what an interrupted first start, a probe of the
   * device, or the file system itself may have created.
   *
   * @param created the beginning of the names of further files of a first start
   * @throws StartupException otherwise
   */
  void requireNew(String created) throws IOException {
    try (Stream<Path> entries = Files.list(root)) {
      if (entries
          .map(entry -> entry.getFileName().toString())
          .anyMatch(entry -> !entry.startsWith(created) && !isFromFirstStart(entry))) {
        throw new StartupException(
            name
                + " holds files but no identity: name an empty directory, or the one this node used"
                + " before. If the file \"identity\" in it was lost, "
                + FileErrors.REMEDY
                + ".");
      }
    }
  }

  private static boolean isFromFirstStart(String entry) {
    return entry.equals(LOCK_FILE)
        || entry.startsWith(IDENTITY_FILE)
        || entry.endsWith(PROBE_SUFFIX)
        || entry.equals("lost+found");
  }

  /** Whether there is a directory of this name in it with an entry besides the record of starts. */
  boolean hasEntries(String directory) throws IOException {
    if (!Files.isDirectory(root.resolve(directory))) {
      return false;
    }
    try (Stream<Path> entries = Files.list(root.resolve(directory))) {
      return entries.anyMatch(entry -> !Starts.isRecord(entry));
    }
  }

  /** Creates a directory in it, durably, unless it exists. */
  void create(String directory) throws IOException {
    Files.createDirectories(root.resolve(directory));
    DurableFiles.syncDirectory(root);
  }

  /** Unlocks the directory. Further calls have no effect. */
  @Override
  public void close() throws IOException {
    lockChannel.close();
  }
}
