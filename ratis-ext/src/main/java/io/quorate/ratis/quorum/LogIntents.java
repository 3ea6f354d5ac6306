package io.quorate.ratis.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.WriteIntents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;

/**
 * Which keys the entries of a replica's log write that it has not applied (PROTOCOLS L1).
 *
 * <p>They are read from the log when somebody asks, and only what came since the last time. So an
 * entry counts as soon as it is in the log, which is before anybody is told so, at the leader as at
 * a follower and after a restart (L7); and where nobody asks, it costs nothing. Of changes to the
 * log only truncation has to be told.
 *
 * <p>Thread-safe. Only {@link #catchUp} waits for a file. Holds no more than what was in the log
 * and not applied when it was last asked.
 */
final class LogIntents {
  /** More entries than this at a time are for {@link #catchUp}, which may take long. */
  static final int ENTRIES_AT_ONCE = 256;

  /** How often to look again when the log is truncated meanwhile. */
  private static final int LOOKS_MOST = 8;

  /** The log. Called from any thread, also at a time. */
  interface Source {
    /** Empty where the log is closed. */
    OptionalLong lastIndex();

    /** Empty where the log has no such entry, or no longer, or not in memory. Does not block. */
    Optional<LogEntryProto> inMemory(long index);

    /** Empty where the log has no such entry, or no longer. May read a file. */
    Optional<LogEntryProto> entry(long index) throws IOException;
  }

  private interface Reader {
    Optional<LogEntryProto> read(long index) throws IOException;
  }

  /**
   * What is pending.
   *
   * @param applied the position that all this is beyond: the one that was asked for, or a later one
   *     that the replica has applied meanwhile. A share that named an older one would conceal what
   *     was between them, as neither applied nor pending.
   * @param positions for each scope the highest position above the applied one; {@link
   *     Position#NONE} if there is none
   * @param configuration the highest index of a configuration among the entries read; may be older
   *     than the latest
   */
  record Pending(Position applied, List<Position> positions, long configuration) {}

  private record Noted(long index, List<KeyScope> scopes, boolean isConfiguration) {}

  private final Source log;
  private final Function<ByteBuffer, List<ByteBuffer>> commands;
  private final Function<ByteBuffer, KeyScope> footprint;

  private final Object lock = new Object();
  // All guarded by lock.
  private final WriteIntents intents = new WriteIntents();
  private long readUpTo = -1;

  /** What is not beyond this is forgotten. */
  private Position settled = Position.NONE;

  private long truncations;
  private long configuration = -1;

  /** Whether an entry was looked for that is not in memory. */
  private boolean missed;

  /**
   * @param commands splits an entry's bytes into commands
   * @param footprint which keys a command may write
   */
  LogIntents(
      Source log,
      Function<ByteBuffer, List<ByteBuffer>> commands,
      Function<ByteBuffer, KeyScope> footprint) {
    this.log = log;
    this.commands = commands;
    this.footprint = footprint;
  }

  /**
   * The entries from {@code first} on are out of the log, and others may come in their place. To be
   * called before those do. Does not block.
   */
  void truncated(long first) {
    synchronized (lock) {
      truncations++;
      intents.cut(first);
      readUpTo = Math.min(readUpTo, first - 1);
      if (configuration >= first) {
        configuration = -1;
      }
    }
  }

  /**
   * Ratis gave this index for the latest configuration. For a moment it may give an older one
   * again, so this one is remembered, once it is in the log.
   */
  void sawConfiguration(long index) {
    synchronized (lock) {
      if (index <= readUpTo) {
        configuration = Math.max(configuration, index);
      }
    }
  }

  /** Forgets what is applied. */
  void settle(Position applied) {
    synchronized (lock) {
      settled = applied.compareTo(settled) > 0 ? applied : settled;
      intents.settle(settled.index());
      readUpTo = Math.max(readUpTo, settled.index());
    }
  }

  /**
   * What is pending beyond {@code applied} or later, as of one moment not before this call. Does
   * not block.
   *
   * @return empty if the log cannot be read now, or too much of it has not been read yet: see
   *     {@link #isBehind}
   */
  Optional<Pending> pending(List<KeyScope> scopes, Position applied) {
    for (int look = 0; look < LOOKS_MOST && !isBehind(applied); look++) {
      OptionalLong last = log.lastIndex();
      if (last.isPresent() && advance(last.getAsLong(), applied, log::inMemory)) {
        synchronized (lock) {
          settle(applied);
          return Optional.of(
              new Pending(settled, scopes.stream().map(this::highest).toList(), configuration));
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
          && (missed || last.getAsLong() - Math.max(readUpTo, applied.index()) > ENTRIES_AT_ONCE);
    }
  }

  /** Reads whatever is in the log; may read files for long. */
  void catchUp(Position applied) {
    long last = log.lastIndex().orElse(-1);
    int looks = 0;
    while (looks < LOOKS_MOST && readUpTo(applied) < last) {
      long next = Math.min(last, readUpTo(applied) + ENTRIES_AT_ONCE);
      looks = advance(next, applied, log::entry) ? 0 : looks + 1;
    }
    synchronized (lock) {
      missed = false;
    }
  }

  private long readUpTo(Position applied) {
    synchronized (lock) {
      return Math.max(readUpTo, applied.index());
    }
  }

  /**
   * Reads and notes the entries up to an index. They are read without the lock, so that nobody
   * waits who has none to read; what another thread has noted meanwhile is not noted again.
   *
   * @return whether that was done; not if the log was truncated meanwhile, or an entry is not there
   */
  private boolean advance(long last, Position applied, Reader reader) {
    long first;
    long truncationsBefore;
    synchronized (lock) {
      first = Math.max(readUpTo, applied.index()) + 1;
      truncationsBefore = truncations;
    }
    List<Noted> entries = new ArrayList<>();
    for (long index = first; index <= last; index++) {
      Optional<LogEntryProto> entry = read(index, reader);
      if (entry.isEmpty()) {
        synchronized (lock) {
          missed |= truncations == truncationsBefore && index > settled.index();
        }
        return false;
      }
      entries.add(noted(entry.get()));
    }
    synchronized (lock) {
      if (truncations != truncationsBefore) {
        return false;
      }
      for (Noted entry : entries) {
        if (entry.index() > readUpTo) {
          note(entry);
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
      // The log is being closed or cut; whoever asked goes elsewhere.
      return Optional.empty();
    }
  }

  private Noted noted(LogEntryProto entry) {
    List<KeyScope> scopes = new ArrayList<>();
    if (entry.hasStateMachineLogEntry()) {
      ByteBuffer bytes = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
      commands.apply(bytes).forEach(command -> scopes.add(footprint.apply(command)));
    }
    return new Noted(entry.getIndex(), scopes, entry.hasConfigurationEntry());
  }

  private void note(Noted entry) {
    entry.scopes().forEach(scope -> intents.note(entry.index(), scope));
    if (entry.isConfiguration()) {
      configuration = Math.max(configuration, entry.index());
    }
  }

  private Position highest(KeyScope scope) {
    long index = intents.highest(scope);
    return index == WriteIntents.NONE ? Position.NONE : new Position(settled.epoch(), index);
  }
}
