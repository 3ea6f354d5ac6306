package io.quorate.server.node.directory;

import io.quorate.common.FileErrors;
import io.quorate.common.LogLimit;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories of a node, locked exclusively while they are open: the data directory, and the
 * log directory if the log is on a device of its own. Both have the same identity: a node must not
 * start without what it has acknowledged, whichever of them it was in.
 *
 * <pre>
 * identity     which cluster and node the directory belongs to, its format, and the settings that
 *              its files depend on
 * lock         locked while a process uses the directory
 * starts       how often the node has started from the directory, and renewed that (decision 0063);
 *              also in storage/ and consensus/, so that an older copy of one of them is refused
 * storage/     rows; in the data directory
 * replicas/    which replicas the node has; in the data directory
 * consensus/   the engine's logs; in the log directory if there is one, otherwise in the data
 *              directory
 * </pre>
 */
public final class DataDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
  private static final LogLimit FAILING = LogLimit.oneAMinute();
  private static final SecureRandom RANDOM = new SecureRandom();

  /** How long a close waits for a renewal. */
  private static final long RENEWAL_SECONDS_MAX = 1;

  private static final String STORAGE = "storage";
  private static final String CONSENSUS = "consensus";
  private static final String REPLICAS = "replicas";

  private final LockedDirectory data;
  private final Optional<LockedDirectory> log;
  private final UUID disk;
  private final StartRecords records;
  private volatile Starts starts;

  /** Held while the start is renewed: nothing is written after the directories are unlocked. */
  private final ReentrantLock renewing = new ReentrantLock();

  private boolean closed;

  private DataDirectory(
      LockedDirectory data,
      Optional<LockedDirectory> log,
      UUID disk,
      StartRecords records,
      Starts starts) {
    this.data = data;
    this.log = log;
    this.disk = disk;
    this.records = records;
    this.starts = starts;
  }

  /**
   * Locks the directories, writes this node's identity into them if both are new or empty, and
   * records a start. Blocks.
   *
   * @param logRoot the log directory; empty if the log is in the data directory
   * @throws StartupException if a directory is in use, has another identity, cannot be written, is
   *     empty and the other one is not, or is known to be an older copy; the identities are
   *     unchanged then
   */
  public static DataDirectory open(Path root, Optional<Path> logRoot, DataIdentity expected) {
    LockedDirectory data = LockedDirectory.lock(root, "Data directory " + root + " (node.data)");
    Optional<LockedDirectory> log = Optional.empty();
    try {
      log =
          logRoot.map(path -> LockedDirectory.lock(path, "Log directory " + path + " (node.log)"));
      UUID disk = claim(data, log, expected);
      data.create(STORAGE);
      log.orElse(data).create(CONSENSUS);
      StartRecords records = new StartRecords(data, parts(data, log));
      Starts starts = records.begin(RANDOM.nextLong());
      return new DataDirectory(data, log, disk, records, starts);
    } catch (IOException e) {
      closeAfter(e, data, log);
      throw LockedDirectory.unusable(
          data.name() + log.map(each -> " or log directory " + each.root()).orElse(""), e);
    } catch (RuntimeException e) {
      closeAfter(e, data, log);
      throw e;
    }
  }

  private static List<StartRecords.Part> parts(
      LockedDirectory data, Optional<LockedDirectory> log) {
    Path consensus = log.orElse(data).root().resolve(CONSENSUS);
    Path storage = data.root().resolve(STORAGE);
    return List.of(
        new StartRecords.Part(
            consensus, log.map(LockedDirectory::name).orElse("Directory " + consensus)),
        new StartRecords.Part(storage, "Directory " + storage));
  }

  private static void closeAfter(
      Exception failure, LockedDirectory data, Optional<LockedDirectory> log) {
    try {
      close(data, log);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** The identity that the directories received when they were created. */
  public UUID disk() {
    return disk;
  }

  /**
   * What the node presents of the directories to others.
   *
   * @param registered as in {@link NodeDisks}
   * @param presence likewise
   * @param founding likewise
   * @param fatal ends the node if another one has shown that the directories are an older copy
   */
  public NodeDisks disks(
      Function<NodeId, Optional<NodeDisks.Registered>> registered,
      Function<NodeId, NodeDisks.Presence> presence,
      Supplier<Optional<UUID>> founding,
      Consumer<ConsensusException.Fatal> fatal) {
    return new NodeDisks(
        disk, registered, presence, founding, () -> starts, new OutdatedDirectories(this, fatal));
  }

  /**
   * Records durably that the directories are an older copy, so that they are refused from now on.
   * Blocks.
   */
  void outdated() throws IOException {
    records.outdated();
  }

  /**
   * Renews the present start, so that a copy of the directories that was taken before is recognized
   * as older. Blocks. A failure is logged; the next call tries again.
   */
  public void renewStart() {
    renewing.lock();
    try {
      if (!closed) {
        starts = records.renew();
      }
    } catch (IOException | StartupException e) {
      FAILING.log(
          leftOut ->
              LOG.warn("The start of this node is not renewed{}", LogLimit.text(leftOut), e));
    } finally {
      renewing.unlock();
    }
  }

  /** The data directory itself. */
  public Path root() {
    return data.root();
  }

  /** The directory on the device that each write waits for. */
  public Path logRoot() {
    return log.orElse(data).root();
  }

  /** The directory of storage. */
  public Path storage() {
    return data.root().resolve(STORAGE);
  }

  /** The directory of the consensus engine. */
  public Path consensus() {
    return logRoot().resolve(CONSENSUS);
  }

  /**
   * Requires that the engine's directory has files.
   *
   * @param hasBegun whether this node has replicas that have acknowledged something
   * @throws StartupException if it is empty, and must not be
   */
  public void requireLogs(boolean hasBegun) throws IOException {
    if (hasBegun && !log.orElse(data).hasEntries(CONSENSUS)) {
      throw new StartupException(
          "Directory "
              + consensus()
              + " is missing or empty, and this node has acknowledged what its logs contained: "
              + FileErrors.REMEDY
              + ".");
    }
  }

  /** The directory of {@link ReplicaRecords}. */
  public Path replicas() {
    return data.root().resolve(REPLICAS);
  }

  /** Free space in bytes on the file system of the data. Blocks. */
  public long freeBytes() throws IOException {
    return data.freeBytes();
  }

  /** Free space in bytes on the file system of the log. Blocks. */
  public long freeLogBytes() throws IOException {
    return log.orElse(data).freeBytes();
  }

  /**
   * Unlocks the directories. Further calls have no effect.
   *
   * @throws IOException if they stay locked until the process ends, because a disk does not respond
   *     to the renewal of the start
   */
  @Override
  public void close() throws IOException {
    if (!isRenewalOver()) {
      throw new IOException(
          data.name()
              + " stays locked until the process ends: the disk does not respond to the renewal of"
              + " this node's start.");
    }
    try {
      closed = true;
      close(data, log);
    } finally {
      renewing.unlock();
    }
  }

  private boolean isRenewalOver() {
    try {
      return renewing.tryLock(RENEWAL_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return renewing.tryLock();
    }
  }

  private static void close(LockedDirectory data, Optional<LockedDirectory> log)
      throws IOException {
    try {
      data.close();
    } finally {
      if (log.isPresent()) {
        log.get().close();
      }
    }
  }

  /** Whether a process has locked the data directory. Changes nothing. */
  public static boolean isInUse(Path root) throws IOException {
    return LockedDirectory.isInUse(root);
  }

  private static UUID claim(
      LockedDirectory data, Optional<LockedDirectory> log, DataIdentity expected)
      throws IOException {
    Optional<DataIdentity> found = data.identity();
    if (found.isEmpty()) {
      data.requireNew(REPLICAS);
      DataIdentity identity = expected.on(UUID.randomUUID());
      // The log first: without an identity of the data, its identity means nothing.
      if (log.isPresent()) {
        claimNewLog(log.get(), data, identity);
      }
      // Next, because a directory with an identity and without records is damaged.
      ReplicaRecords.create(data.root().resolve(REPLICAS));
      data.identify(identity);
      return identity.disk().orElseThrow();
    }
    expected.requireSame(found.get(), data.name());
    if (log.isPresent()) {
      requireLog(log.get(), data, expected, found.get());
    }
    return found.get().disk().orElseThrow();
  }

  private static void claimNewLog(LockedDirectory log, LockedDirectory data, DataIdentity identity)
      throws IOException {
    Optional<DataIdentity> found = log.identity();
    if (found.isEmpty()) {
      log.requireNew(CONSENSUS);
    } else {
      identity.requireSame(found.get(), log.name());
    }
    if (log.hasEntries(CONSENSUS)) {
      throw new StartupException(
          log.name()
              + " holds a log, and data directory "
              + data.root()
              + " (node.data) is empty. Name the data directory that this node used before; if it was"
              + " lost, "
              + FileErrors.REMEDY
              + ".");
    }
    // Of a data directory that is gone.
    Files.deleteIfExists(log.root().resolve(CONSENSUS).resolve(StartRecords.FILE));
    log.identify(identity);
  }

  private static void requireLog(
      LockedDirectory log, LockedDirectory data, DataIdentity expected, DataIdentity ofData)
      throws IOException {
    Optional<DataIdentity> found = log.identity();
    if (found.isEmpty()) {
      throw new StartupException(
          log.name()
              + " has no identity, and data directory "
              + data.root()
              + " (node.data) has one. Name the log directory that this node used before; if it was"
              + " lost, "
              + FileErrors.REMEDY
              + ".");
    }
    expected.requireSame(found.get(), log.name());
    if (!found.get().disk().equals(ofData.disk())) {
      throw new StartupException(
          log.name()
              + " belongs to another data directory than "
              + data.root()
              + " (node.data); name the two directories that were used together.");
    }
  }
}
