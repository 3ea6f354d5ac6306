package io.quorate.storage;

import io.quorate.failpoint.Failpoint;

/**
 * Where tests make storage fail, besides the steps of an install, see {@link InstallStep}. The
 * subject is the region, except for flushes, which are of all regions.
 */
final class StoragePoints {
  /** A turn's changes are complete in memory, and nothing of them is written. */
  static final Failpoint BEFORE_WRITE = Failpoint.named("storage.apply.before-write");

  /** RocksDB has them, and no answer has left. */
  static final Failpoint AFTER_WRITE = Failpoint.named("storage.apply.after-write");

  /** All answers of the turn have been handed over. */
  static final Failpoint AFTER_ANSWERS = Failpoint.named("storage.apply.after-answers");

  static final Failpoint BEFORE_FLUSH = Failpoint.named("storage.flush.before");

  /** What was applied is on the disk, and nobody knows. */
  static final Failpoint AFTER_FLUSH = Failpoint.named("storage.flush.after");

  /** The durable position has been published, so that the log may be cut. */
  static final Failpoint FLUSH_PUBLISHED = Failpoint.named("storage.flush.published");

  /** The tables of a snapshot are written, its manifest is not. */
  static final Failpoint EXPORT_TABLES = Failpoint.named("storage.export.tables");

  /** The manifest, too. */
  static final Failpoint EXPORT_COMPLETE = Failpoint.named("storage.export.complete");

  private StoragePoints() {}
}
