package io.quorate.storage.context;

import io.quorate.common.Failpoint;

/**
 * Failpoints of storage, besides the steps of an install, see {@code snapshot.InstallStep}. The
 * subject is the region; flushes, which cover all regions, have a constant.
 */
public final class StoragePoints {
  /** The changes of an iteration are complete in memory; none is written. */
  public static final Failpoint BEFORE_WRITE = Failpoint.named("storage.apply.before-write");

  /** The changes are in RocksDB; the applier has completed no result. */
  public static final Failpoint AFTER_WRITE = Failpoint.named("storage.apply.after-write");

  /** All results of the iteration are completed. */
  public static final Failpoint AFTER_RESPONSES = Failpoint.named("storage.apply.after-responses");

  /** The sessions of a child are in RocksDB; the split from which it begins is not. */
  public static final Failpoint SPLIT_SESSIONS_COPIED =
      Failpoint.named("storage.split.sessions-copied");

  /** The child has the bodies of the parent durably; the split is not in RocksDB. */
  public static final Failpoint SPLIT_BODIES_LINKED =
      Failpoint.named("storage.split.bodies-linked");

  /** A split is in RocksDB; reads of the parent may still return keys of the child. */
  public static final Failpoint SPLIT_WRITTEN = Failpoint.named("storage.split.written");

  /** A region is frozen in RocksDB; reads may still return its keys. */
  public static final Failpoint MERGE_FROZEN = Failpoint.named("storage.merge.frozen");

  /** The regions that one absorbs have ended in memory; they are still in RocksDB. */
  public static final Failpoint MERGE_TAKEN_OVER = Failpoint.named("storage.merge.taken-over");

  /** A region has absorbed another one in RocksDB; its reads do not return the keys yet. */
  public static final Failpoint MERGE_WRITTEN = Failpoint.named("storage.merge.written");

  public static final Failpoint BEFORE_FLUSH = Failpoint.named("storage.flush.before");

  /** The applied state is on disk; its durable position is not published. */
  public static final Failpoint AFTER_FLUSH = Failpoint.named("storage.flush.after");

  /** The durable position is published, so that the log may be truncated. */
  public static final Failpoint FLUSH_PUBLISHED = Failpoint.named("storage.flush.published");

  /** The tables of a snapshot are written; its manifest is not. */
  public static final Failpoint EXPORT_TABLES = Failpoint.named("storage.export.tables");

  /** The manifest of a snapshot is written as well. */
  public static final Failpoint EXPORT_COMPLETE = Failpoint.named("storage.export.complete");

  /** A search for garbage bodies knows which bodies are settled, and has not read rows. */
  public static final Failpoint SWEEP_BEGUN = Failpoint.named("storage.bodies.sweep-begun");

  /** A page of rows is read in a search for garbage bodies, and no iterator is open. */
  public static final Failpoint SWEEP_PAGE = Failpoint.named("storage.bodies.sweep-page");

  private StoragePoints() {}
}
