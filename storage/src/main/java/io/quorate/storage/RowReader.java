package io.quorate.storage;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.consensus.Telemetry;
import io.quorate.operation.ScanPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rocksdb.ReadOptions;
import org.rocksdb.Snapshot;

/**
 * Reads a region's rows as of the newest position that is readable: from the database, and from the
 * overlay what is committed beyond it. Where the overlay is not used it is empty, and the position
 * is the applied one. Any thread; the region must not be replaced meanwhile.
 *
 * <p>A read counts the overlay's changes up to the position {@code r} that it found first, and of
 * those exactly the ones that its view of the database does not contain (PROTOCOLS B2). The view's
 * own applied position says which these are, as it was written together with the rows. If the view
 * is at {@code r} or beyond, it is the answer by itself.
 */
final class RowReader {
  private final Database database;
  private final MetaRows meta;
  private final GroupId region;
  private final Family family;
  private final Execution execution;
  private final Overlay overlay;
  private final ReadMeter meter;
  private final Telemetry.Counter overlayReads;

  RowReader(
      StorageParts parts,
      GroupId region,
      Family family,
      Execution execution,
      Overlay overlay,
      ReadMeter meter) {
    this.database = parts.database();
    this.meta = parts.meta();
    this.region = region;
    this.family = family;
    this.execution = execution;
    this.overlay = overlay;
    this.meter = meter;
    this.overlayReads =
        parts
            .telemetry()
            .counter(
                "storage.overlay.reads",
                "Reads that found a change not applied yet",
                Map.of("region", region.toString()));
  }

  /** The value of a key in the region's range. */
  Optional<byte[]> get(Key key) throws IOException {
    // The position first: changes beyond it, of a batch that is not complete yet, do not count.
    Position to = overlay.upTo();
    Optional<Changes> changes = overlay.changes(key);
    Optional<Fold> newest = changes.flatMap(some -> some.between(Position.NONE, to));
    if (newest.isEmpty()) {
      return database.get(family, key.bytes());
    }
    overlayReads.add(1);
    if (!newest.get().needsValue()) {
      return newest.get().over(Optional.empty(), execution).map(Bytes::of);
    }
    try (NativeScope scope = database.child("get")) {
      // Not earlier: what had left the overlay when it was looked at is in this view.
      ReadOptions view = database.readOptions(scope, database.snapshot(scope));
      Optional<byte[]> before = database.get(family, key.bytes(), view);
      Optional<Fold> pending = changes.get().between(meta.applied(region, view), to);
      return pending.isPresent()
          ? pending.get().over(before.map(ByteBuffer::wrap), execution).map(Bytes::of)
          : before;
    }
  }

  /**
   * What the cost model makes of a scan of the first rows of a range. Looks at the overlay and not
   * at the database.
   */
  ScanPlan plan(KeyRange present, int rowsMax) throws IOException {
    try (Overlay.Pin pin = overlay.pin()) {
      CostModel.Removals removals =
          CostModel.removals(pin.changes(present), pin.from(), pin.upTo(), rowsMax, execution);
      return CostModel.choose(rowsMax, removals, pin.from(), meter.costs());
    }
  }

  /** The first rows of a range within the region's, as {@link RegionStore#scan} says. */
  RegionStore.Cut scan(KeyRange present, int rowsMax, int bytesMax, ScanPlan plan)
      throws IOException {
    try (Overlay.Pin pin = overlay.pin();
        NativeScope scope = database.child("scan")) {
      Iterator<Map.Entry<Key, Changes>> changes = pin.changes(present);
      if (changes.hasNext()) {
        overlayReads.add(1);
      }
      Snapshot view = database.snapshot(scope);
      Position from = meta.applied(region, database.readOptions(scope, view));
      Database.Cursor cursor =
          database.cursor(
              scope,
              family,
              present.start().bytes(),
              present.end().map(Key::bytes),
              Optional.of(view));
      DatabaseRows read = new DatabaseRows(cursor);
      long started = System.nanoTime();
      Rows state = plan.stateRows() > 0 ? new RowBlock(read, plan.stateRows(), bytesMax) : read;
      ScanPage page =
          page(new MergedRows(state, changes, from, pin.upTo(), execution), rowsMax, bytesMax);
      meter.rowsRead(read.steps(), System.nanoTime() - started);
      meter.scanned(plan.way());
      return new RegionStore.Cut(page, newer(from, pin.upTo()));
    }
  }

  /** A scan of no keys, as of the newest position that is readable. */
  RegionStore.Cut scanOfNothing(Position applied) {
    return new RegionStore.Cut(
        new ScanPage(List.of(), Optional.empty()), newer(applied, overlay.upTo()));
  }

  private static Position newer(Position one, Position other) {
    return one.covers(other) ? one : other;
  }

  private static ScanPage page(Rows rows, int rowsMax, int bytesMax) throws IOException {
    List<ScanPage.Row> page = new ArrayList<>();
    Key last = Key.EMPTY;
    long bytes = 0;
    for (; rows.isAtRow(); rows.next()) {
      if (page.size() == rowsMax) {
        return new ScanPage(page, Optional.of(last.next()));
      }
      Key key = rows.key();
      ByteBuffer value = rows.value();
      bytes += key.size() + value.remaining();
      if (bytes > bytesMax && !page.isEmpty()) {
        return new ScanPage(page, Optional.of(last.next()));
      }
      last = key;
      page.add(new ScanPage.Row(last, value));
    }
    return new ScanPage(page, Optional.empty());
  }

  /** The database's rows as they are. */
  private static final class DatabaseRows implements Rows {
    private final Database.Cursor cursor;
    private Optional<Key> key = Optional.empty();
    private long steps;

    DatabaseRows(Database.Cursor cursor) {
      this.cursor = cursor;
    }

    /** How many rows lie behind it. */
    long steps() {
      return steps;
    }

    @Override
    public boolean isAtRow() {
      return cursor.isAtRow();
    }

    @Override
    public Key key() {
      if (key.isEmpty()) {
        key = Optional.of(Key.wrap(cursor.key()));
      }
      return key.get();
    }

    @Override
    public ByteBuffer value() {
      return ByteBuffer.wrap(cursor.value());
    }

    @Override
    public void next() throws IOException {
      cursor.next();
      key = Optional.empty();
      steps++;
    }
  }
}
