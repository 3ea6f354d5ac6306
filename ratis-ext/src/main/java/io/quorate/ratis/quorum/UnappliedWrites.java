package io.quorate.ratis.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Position;
import io.quorate.quorum.PendingWrites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;

/**
 * The keys that are written by the entries of a replica's log that it has not applied (L1).
 *
 * <p>Entries are read from the log on request, and only those that were added since the last
 * request. So an entry counts as soon as it is in the log, which is before it is acknowledged, at
 * the leader as at a follower and after a restart (L7); and without requests it costs nothing. Of
 * changes to the log, only truncations must be reported to this class.
 *
 * <p>Thread-safe. Only {@link #catchUp} waits for a file. Holds no more than what was in the log
 * and not applied at the last request.
 */
final class UnappliedWrites {
  /**
   * The maximum number of entries to read in a request; more are left to {@link #catchUp}, which
   * may take long.
   */
  static final int ENTRIES_AT_ONCE = 256;

  /** How often to try again if the log is truncated meanwhile. */
  private static final int ATTEMPTS_MAX = 8;

  /** The log. Called from any thread, also concurrently. */
  interface Source {
    /** Empty if the log is closed. */
    OptionalLong lastIndex();

    /**
     * Empty if the log does not contain the entry, or does not have it in memory. Does not block.
     */
    Optional<LogEntryProto> inMemory(long index);

    /** Empty if the log does not contain the entry. May read a file. */
    Optional<LogEntryProto> entry(long index) throws IOException;
  }

  private interface Reader {
    Optional<LogEntryProto> read(long index) throws IOException;
  }

  /**
   * The pending writes of a request.
   *
   * @param applied the position that all of these are beyond: the requested one, or a later one
   *     that the replica has applied meanwhile. A read reply with an older position would omit the
   *     writes between the two, which are neither applied nor pending in it.
   * @param positions for each scope the highest position above the applied one; {@link
   *     Position#NONE} if there is none
   * @param configuration the highest index of a configuration among the entries read; may be older
   *     than the latest
   */
  record Pending(Position applied, List<Position> positions, long configuration) {}

  private record EntryWrites(long index, List<KeyScope> scopes, boolean isConfiguration) {}

  private final Source log;
  private final Function<ByteBuffer, List<ByteBuffer>> commands;
  private final Function<ByteBuffer, KeyScope> writeSet;

  private final Object lock = new Object();
  // All guarded by lock.
  private final PendingWrites pendingWrites = new PendingWrites();
  private long readUpTo = -1;

  /** Writes up to this position are applied, and no longer held. */
  private Position appliedUpTo = Position.NONE;

  private long truncations;
  private long configuration = -1;

  /** Whether an entry was requested that is not in memory. */
  private boolean needsFile;

  /**
   * @param commands splits an entry's bytes into commands
   * @param writeSet which keys a command may write
   */
  UnappliedWrites(
      Source log,
      Function<ByteBuffer, List<ByteBuffer>> commands,
      Function<ByteBuffer, KeyScope> writeSet) {
    this.log = log;
    this.commands = commands;
    this.writeSet = writeSet;
  }

  /**
   * To be called when the entries from {@code first} on have left the log, before others replace
   * them. Does not block.
   */
  void truncated(long first) {
    synchronized (lock) {
      truncations++;
      pendingWrites.cut(first);
      readUpTo = Math.min(readUpTo, first - 1);
      if (configuration >= first) {
        configuration = -1;
      }
    }
  }

  /**
   * Records the index that Ratis reported for the latest configuration, if it is in the log. For a
   * moment Ratis may report an older one again.
   */
  void observeConfiguration(long index) {
    synchronized (lock) {
      if (index <= readUpTo) {
        configuration = Math.max(configuration, index);
      }
    }
  }

  /** Drops the writes that are applied. */
  void dropApplied(Position applied) {
    synchronized (lock) {
      appliedUpTo = applied.compareTo(appliedUpTo) > 0 ? applied : appliedUpTo;
      pendingWrites.settle(appliedUpTo.index());
      readUpTo = Math.max(readUpTo, appliedUpTo.index());
    }
  }

  /**
   * The writes pending beyond {@code applied} or a later position, as of one moment not before this
   * call. Does not block.
   *
   * @return empty if the log cannot be read now, or too much of it has not been read yet: see
   *     {@link #isBehind}
   */
  Optional<Pending> pending(List<KeyScope> scopes, Position applied) {
    for (int attempt = 0; attempt < ATTEMPTS_MAX && !isBehind(applied); attempt++) {
      OptionalLong last = log.lastIndex();
      if (last.isPresent() && advance(last.getAsLong(), applied, log::inMemory)) {
        synchronized (lock) {
          dropApplied(applied);
          return Optional.of(
              new Pending(appliedUpTo, scopes.stream().map(this::highest).toList(), configuration));
        }
      }
    }
    return Optional.empty();
  }

  /** Whether {@link #catchUp} is needed first. Does not block. */
  boolean isBehind(Position applied) {
    OptionalLong last = log.lastIndex();
    synchronized (lock) {
      return last.isPresent()
          && (needsFile
              || last.getAsLong() - Math.max(readUpTo, applied.index()) > ENTRIES_AT_ONCE);
    }
  }

  /** Reads all entries of the log; may read files for long. */
  void catchUp(Position applied) {
    long last = log.lastIndex().orElse(-1);
    int attempts = 0;
    while (attempts < ATTEMPTS_MAX && readUpTo(applied) < last) {
      long next = Math.min(last, readUpTo(applied) + ENTRIES_AT_ONCE);
      attempts = advance(next, applied, log::entry) ? 0 : attempts + 1;
    }
    synchronized (lock) {
      needsFile = false;
    }
  }

  private long readUpTo(Position applied) {
    synchronized (lock) {
      return Math.max(readUpTo, applied.index());
    }
  }

  /**
   * Reads the entries up to an index and adds their writes. Entries are read without the lock, so
   * that a thread without entries to read does not wait; entries that another thread has added
   * meanwhile are not added again.
   *
   * @return whether that was done; false if the log was truncated meanwhile, or an entry is missing
   */
  private boolean advance(long last, Position applied, Reader reader) {
    long first;
    long truncationsBefore;
    synchronized (lock) {
      first = Math.max(readUpTo, applied.index()) + 1;
      truncationsBefore = truncations;
    }
    List<EntryWrites> entries = new ArrayList<>();
    for (long index = first; index <= last; index++) {
      Optional<LogEntryProto> entry = read(index, reader);
      if (entry.isEmpty()) {
        synchronized (lock) {
          needsFile |= truncations == truncationsBefore && index > appliedUpTo.index();
        }
        return false;
      }
      entries.add(writesOf(entry.get()));
    }
    synchronized (lock) {
      if (truncations != truncationsBefore) {
        return false;
      }
      for (EntryWrites entry : entries) {
        if (entry.index() > readUpTo) {
          addWrites(entry);
        }
      }
      readUpTo = Math.max(readUpTo, last);
      return true;
    }
  }

  private static Optional<LogEntryProto> read(long index, Reader reader) {
    try {
      return reader.read(index);
    } catch (IOException e) {
      // The log is being closed or truncated; the caller falls back to another replica.
      return Optional.empty();
    }
  }

  private EntryWrites writesOf(LogEntryProto entry) {
    List<KeyScope> scopes = new ArrayList<>();
    if (entry.hasStateMachineLogEntry()) {
      ByteBuffer bytes = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
      commands.apply(bytes).forEach(command -> scopes.add(writeSet.apply(command)));
    }
    return new EntryWrites(entry.getIndex(), scopes, entry.hasConfigurationEntry());
  }

  private void addWrites(EntryWrites entry) {
    entry.scopes().forEach(scope -> pendingWrites.note(entry.index(), scope));
    if (entry.isConfiguration()) {
      configuration = Math.max(configuration, entry.index());
    }
  }

  private Position highest(KeyScope scope) {
    long index = pendingWrites.highest(scope);
    return index == PendingWrites.NONE ? Position.NONE : new Position(appliedUpTo.epoch(), index);
  }
}
