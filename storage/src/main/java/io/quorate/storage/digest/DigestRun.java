package io.quorate.storage.digest;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.protocol.operation.RowHash;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.read.RowsGate;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.NativeScope;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rocksdb.Snapshot;

/**
 * Computes one digest, page by page, from a snapshot of the database that was taken at its
 * position. One thread; each page reads the disk.
 */
final class DigestRun implements AutoCloseable {
  private static final int PAGE_ROWS = 4096;
  private static final int PAGE_BYTES = 1 << 20;

  private final StorageContext context;
  private final RowsGate gate;
  private final GroupId group;
  private final Family family;
  private final Position position;
  private final KeyRange range;
  private final List<Key> starts;
  private final NativeScope scope;
  private final Snapshot snapshot;
  private final long replacements;
  private final List<RegionDigest.Part> parts = new ArrayList<>();
  private final RowHash hash = new RowHash();
  private long rowsOfPart;

  /** The first key of the next page; empty when all rows are read. */
  private Optional<byte[]> next;

  private long bytes;
  private volatile int partsDone;
  private volatile boolean isAbandoned;

  /**
   * Takes the snapshot. To be called while the region is at the position and does not change.
   *
   * @param bounds of the parts; those that are not inside of the range are ignored
   */
  DigestRun(
      StorageContext context,
      RowsGate gate,
      GroupId group,
      Family family,
      Position position,
      KeyRange range,
      List<Key> bounds) {
    this.context = context;
    this.gate = gate;
    this.group = group;
    this.family = family;
    this.position = position;
    this.range = range;
    this.starts = new ArrayList<>(List.of(range.start()));
    bounds.stream()
        .filter(key -> range.contains(key) && !key.equals(range.start()))
        .forEach(starts::add);
    this.scope = context.database().child("digest");
    this.snapshot = context.database().snapshot(scope);
    this.replacements = gate.replacements();
    this.next = Optional.of(range.start().bytes());
  }

  GroupId group() {
    return group;
  }

  /** The bytes of keys and rows that were read. */
  long bytes() {
    return bytes;
  }

  /** What part of the digest is computed, 0 to 1. Any thread. */
  double progress() {
    return (double) partsDone / starts.size();
  }

  /**
   * Makes the next page fail: the snapshot must not keep overwritten rows any longer. Any thread.
   */
  void abandon() {
    isAbandoned = true;
  }

  /**
   * Reads the next page.
   *
   * @return the digest after the last page, with the sessions; empty before
   * @throws IOException if rows cannot be read, or were replaced meanwhile, or the run was
   *     abandoned: there will be no digest
   */
  Optional<RegionDigest> readPage() throws IOException {
    if (isAbandoned) {
      throw new IOException("The disk is nearly full.");
    }
    try {
      return gate.reading(
          () -> {
            if (gate.replacements() != replacements) {
              throw new IOException("The rows of region " + group + " were replaced.");
            }
            if (next.isPresent()) {
              readRows(next.get());
              return Optional.empty();
            }
            return Optional.of(RegionDigest.of(position, parts, sessions()));
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void readRows(byte[] from) throws IOException {
    try (NativeScope page = context.database().child("digest page")) {
      Database.Cursor cursor =
          context
              .database()
              .copyCursor(page, family, from, range.end().map(Key::bytes), Optional.of(snapshot));
      long end = bytes + PAGE_BYTES;
      for (int rows = 0; cursor.isAtRow(); rows++) {
        byte[] key = cursor.key();
        if (rows == PAGE_ROWS || bytes >= end) {
          next = Optional.of(key);
          return;
        }
        endPartsBefore(key);
        byte[] value = cursor.value();
        hash.add(key, value);
        rowsOfPart++;
        bytes += key.length + value.length;
        cursor.next();
      }
      while (parts.size() < starts.size()) {
        endPart();
      }
      next = Optional.empty();
    }
  }

  private void endPartsBefore(byte[] row) {
    Key key = Key.wrap(row);
    while (parts.size() + 1 < starts.size() && starts.get(parts.size() + 1).compareTo(key) <= 0) {
      endPart();
    }
  }

  private void endPart() {
    parts.add(new RegionDigest.Part(starts.get(parts.size()), rowsOfPart, hash.end()));
    rowsOfPart = 0;
    partsDone = parts.size();
  }

  /** Sessions are few, so they are one page. */
  private String sessions() throws IOException {
    try (NativeScope page = context.database().child("digest of sessions")) {
      Database.Cursor cursor =
          context
              .database()
              .copyCursor(
                  page,
                  Family.SESSIONS,
                  SessionRows.regionStart(group),
                  Optional.of(SessionRows.regionEnd(group)),
                  Optional.of(snapshot));
      while (cursor.isAtRow()) {
        hash.add(cursor.key(), cursor.value());
        cursor.next();
      }
      return hash.end();
    }
  }

  /** Frees the snapshot. */
  @Override
  public void close() {
    scope.close();
  }
}
