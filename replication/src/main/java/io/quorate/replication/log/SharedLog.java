package io.quorate.replication.log;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.common.DurableFiles;
import io.quorate.common.PrivateDirectory;
import io.quorate.model.GroupId;
import io.quorate.replication.log.segment.LogOwner;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.SegmentDirectory;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The log of a node: one append-only log of all its groups, for either engine. What it guarantees
 * is in the package description and in ADR 0083. Thread-safe; only {@link #open} and {@link #close}
 * block.
 */
public final class SharedLog implements AutoCloseable {
  private static final byte[] NOTHING = {};

  private final SharedLogCounters counters = new SharedLogCounters();
  private final Map<GroupId, GroupLog> groups = new ConcurrentHashMap<>();

  /** Groups that were damaged when the log was opened. */
  private final Map<GroupId, GroupBase> damaged = new ConcurrentHashMap<>();

  private final LiveSegments segments;
  private final SharedLogWriter writer;
  private final SegmentPurger purger;
  private final LogContext context;
  private volatile Optional<IOException> failure = Optional.empty();
  private final Object failureLock = new Object();
  private Consumer<IOException> whenFailed = cause -> {};
  private int nextGeneration;
  private boolean closed;

  private SharedLog(
      SegmentDirectory directory,
      DurableEnd end,
      Optional<DurableEnd.Mark> mark,
      LogOwner owner,
      SharedLogSettings settings)
      throws IOException {
    RecentRecords recent = new RecentRecords(counters, settings.memoryBytes());
    SharedLogRecovery.Recovered recovered =
        new SharedLogRecovery(directory, mark, owner, recent, settings.memoryBytes(), counters)
            .recover(new SecureRandom().nextLong());
    segments = new LiveSegments(directory, recovered.salt(), counters);
    writer =
        new SharedLogWriter(directory, end, settings, counters, segments, recent, this::failed);
    purger = new SegmentPurger(segments, writer, settings, counters, groups::values);
    context = new LogContext(settings, counters, segments, writer, purger, groups::size);
    nextGeneration = recovered.nextGeneration();
    try {
      begin(recovered, owner);
    } catch (IOException | RuntimeException e) {
      segments.close();
      throw e;
    }
  }

  private void begin(SharedLogRecovery.Recovered recovered, LogOwner owner) throws IOException {
    for (long number : recovered.segments()) {
      segments.add(Math.toIntExact(number));
    }
    recovered.bases().forEach(base -> add(base, recovered));
    SegmentStart first =
        new SegmentStart(recovered.next(), recovered.salt(), owner, recovered.previousEnd());
    writer.start(first, recovered, purger::wake);
    purger.start();
  }

  /**
   * Opens the log of a node. Reads all of it once, cuts what was being written when the process
   * ended, and makes durable what it has read; blocks meanwhile.
   *
   * @param directory of the log; created if there is no log yet
   * @param endDirectory another directory, in which a file states how far the log is durable; the
   *     log is new only if neither has anything
   * @throws DamagedLogException if nothing can be said of any group: the log or the file beside it
   *     is missing, or the log is that of another node. Nothing was changed. Damage of some groups
   *     is reported when they are opened.
   * @throws IOException if it cannot be read or created
   */
  public static SharedLog open(
      Path directory, Path endDirectory, LogOwner owner, SharedLogSettings settings)
      throws IOException {
    SegmentDirectory files = new SegmentDirectory(directory);
    Optional<DurableEnd.Mark> mark = DurableEnd.read(endDirectory);
    requireWhole(files, endDirectory, mark);
    PrivateDirectory.create(endDirectory);
    DurableFiles.syncDirectory(endDirectory.toAbsolutePath().getParent());
    // Before the first segment, which is not taken for a log without it.
    DurableEnd end = DurableEnd.open(endDirectory, System::nanoTime);
    try {
      PrivateDirectory.create(files.path());
      DurableFiles.syncDirectory(files.path().getParent());
      return new SharedLog(files, end, mark, owner, settings);
    } catch (IOException | RuntimeException e) {
      end.close();
      throw e;
    }
  }

  private static void requireWhole(
      SegmentDirectory files, Path endDirectory, Optional<DurableEnd.Mark> mark)
      throws IOException {
    boolean isEmpty = files.numbers().isEmpty();
    if (mark.isEmpty() && !isEmpty) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The file %s is missing, which states how far the log %s is durable",
              DurableEnd.file(endDirectory),
              files.path()));
    }
    if (isEmpty && mark.isPresent() && mark.get().segment() > 0) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The log %s has no files, and %s states that it has file %s",
              files.path(),
              DurableEnd.file(endDirectory),
              files.file(mark.get().segment()).getFileName()));
    }
  }

  private void add(GroupBase base, SharedLogRecovery.Recovered recovered) {
    GroupId id = new GroupId(base.group);
    if (base.damage().isPresent()) {
      damaged.put(id, base);
    } else {
      RecordIndex index = recovered.groups().get(base.group).index();
      groups.put(id, new GroupLog(id, base, index, context));
    }
  }

  /** The groups that exist, damaged ones too. A group that was begun and is not here is lost. */
  public Set<GroupId> groups() {
    Set<GroupId> all = new TreeSet<>(groups.keySet());
    all.addAll(damaged.keySet());
    return all;
  }

  /** The damage of a group; empty if it can be used, or does not exist. */
  public Optional<DamagedGroupException> damage(GroupId group) {
    GroupBase base = damaged.get(group);
    if (base != null) {
      return Optional.of(new DamagedGroupException(group, base.damage().orElseThrow()));
    }
    return Optional.ofNullable(groups.get(group)).flatMap(GroupLog::damage);
  }

  /**
   * Creates a group. Its first record is durable with the first report.
   *
   * @param firstIndex the index of its first entry, which is its first low-water mark
   * @param executor on which the group is told what is durable
   * @throws IllegalStateException if it exists
   * @throws IOException if the log has failed or is closed
   */
  public synchronized GroupLog create(
      GroupId group, long firstIndex, Executor executor, GroupLogEvents events) throws IOException {
    writer.requireRunning();
    if (groups.containsKey(group) || damaged.containsKey(group)) {
      throw new IllegalStateException("Group " + group + " exists in the log already.");
    }
    GroupBase base = new GroupBase(group.value(), nextGeneration++);
    base.apply(RecordType.CREATED, 0, firstIndex, NOTHING);
    GroupLog created = new GroupLog(group, base, new RecordIndex(), context);
    created.subscribe(executor, events);
    groups.put(group, created);
    created.created();
    writer.wake();
    return created;
  }

  /**
   * Begins to use a group, also once more after {@link GroupLog#close}; earlier reports end.
   *
   * @param executor on which the group is told what becomes durable from now on
   * @return empty if it does not exist
   * @throws DamagedGroupException if it has lost records
   * @throws IOException if the log has failed
   */
  public synchronized Optional<GroupLog> open(
      GroupId group, Executor executor, GroupLogEvents events) throws IOException {
    Optional<DamagedGroupException> damage = damage(group);
    if (damage.isPresent()) {
      throw damage.get();
    }
    Optional<GroupLog> found = Optional.ofNullable(groups.get(group));
    found.ifPresent(each -> each.subscribe(executor, events));
    // If the log fails from here on, the log's thread tells the group.
    writer.requireRunning();
    return found;
  }

  /**
   * Removes a group with all of its records, also a damaged one. It may be created again at once.
   *
   * @return completes on the executor when the removal is durable, or exceptionally if the log
   *     fails before; at once if the group does not exist
   */
  public synchronized CompletableFuture<Void> remove(GroupId group, Executor executor) {
    CompletableFuture<Void> durable = new CompletableFuture<>();
    GroupLog log = groups.remove(group);
    GroupBase base = damaged.remove(group);
    if (log != null) {
      log.remove(durable);
    } else if (base != null) {
      QueuedRecord record =
          new QueuedRecord(
              base, null, RecordType.REMOVED, base.sequence() + 1, 0, 0, 0, NOTHING, false);
      record.whenDurable = durable;
      counters.queued(1, 0);
      writer.push(record);
    } else {
      return CompletableFuture.completedFuture(null);
    }
    writer.wake();
    return durable.thenApplyAsync(done -> done, executor);
  }

  /**
   * For how long the oldest record has been waiting to become durable: how long the disk hangs, if
   * it does.
   */
  public Duration oldestWait() {
    return writer.oldestWait();
  }

  /** What has ended the log; empty as long as it works. */
  public Optional<IOException> failure() {
    return failure;
  }

  public SharedLogCounters counters() {
    return counters;
  }

  /** Sets who is told, once, that the log has failed, also while no group is in use. */
  public void whenFailed(Consumer<IOException> listener) {
    Optional<IOException> before;
    synchronized (failureLock) {
      whenFailed = listener;
      before = failure;
    }
    before.ifPresent(listener);
  }

  private void failed(IOException cause) {
    Consumer<IOException> told;
    synchronized (failureLock) {
      failure = Optional.of(cause);
      told = whenFailed;
    }
    told.accept(cause);
    groups.values().forEach(group -> group.reports().failed(cause));
  }

  /** Makes durable what was appended, and ends the threads; blocks meanwhile. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    purger.close();
    writer.close();
    writer.closed();
    segments.close();
  }
}
