package io.quorate.storage.read;

import io.quorate.common.Bytes;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.storage.command.MergeChain;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.PendingVersions;
import io.quorate.storage.command.RowFormat;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.MetaRows;
import io.quorate.storage.rocks.NativeScope;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;
import org.rocksdb.ReadOptions;
import org.rocksdb.Snapshot;

/**
 * Reads a region's rows as of the newest readable position: from the database, plus committed
 * changes beyond it from the overlay. Without read acceleration the overlay is empty and the
 * readable position is the applied one. Any thread; the region must not be replaced meanwhile.
 *
 * <p>A read takes the overlay's position {@code r} first. It counts the overlay's changes up to
 * {@code r} that its database snapshot does not contain (rule B2). The snapshot's own applied
 * position determines which these are, as it was written atomically with the rows. If the snapshot
 * is at {@code r} or beyond, no change of the overlay counts.
 */
public final class RegionReader {
  private final Database database;
  private final MetaRows meta;
  private final GroupId region;
  private final Family family;
  private final RowFormat format;
  private final OperationExecutor execution;
  private final Overlay overlay;
  private final ReadMeter meter;
  private final MetricsSink.Counter overlayReads;

  public RegionReader(
      StorageContext context,
      GroupId region,
      Family family,
      RowFormat format,
      OperationExecutor execution,
      Overlay overlay,
      ReadMeter meter) {
    this.database = context.database();
    this.meta = context.meta();
    this.region = region;
    this.family = family;
    this.format = format;
    this.execution = execution;
    this.overlay = overlay;
    this.meter = meter;
    this.overlayReads =
        context
            .telemetry()
            .counter(
                "storage.overlay.reads",
                "Reads that found a change not applied yet",
                Map.of("region", region.toString()));
  }

  /** The value of a key in the region's range, see {@code RegionStore.get}. */
  public Optional<byte[]> get(Key key) throws IOException {
    Optional<byte[]> row = row(key);
    return format == RowFormat.PLAIN ? row : row.map(this::inline);
  }

  private byte[] inline(byte[] row) {
    return Bytes.of(format.value(ByteBuffer.wrap(row)));
  }

  /** What is stored as the value of a key in the region's range. */
  public Optional<StoredValue> getStored(Key key) throws IOException {
    return row(key).map(row -> format.stored(ByteBuffer.wrap(row)));
  }

  private Optional<byte[]> row(Key key) throws IOException {
    // The position first: changes beyond it may belong to an incomplete batch and do not count.
    Position to = overlay.upTo();
    Optional<PendingVersions> changes = overlay.changes(key);
    Optional<MergeChain> newest = changes.flatMap(versions -> versions.between(Position.NONE, to));
    if (newest.isEmpty()) {
      return database.get(family, key.bytes());
    }
    overlayReads.add(1);
    if (!newest.get().needsValue()) {
      return newest.get().applyTo(Optional.empty(), execution).map(Bytes::of);
    }
    try (NativeScope scope = database.child("get")) {
      // Taken after the overlay was read: changes removed from the overlay before are in the
      // snapshot.
      ReadOptions view = database.readOptions(scope, database.snapshot(scope));
      Optional<byte[]> before = database.get(family, key.bytes(), view);
      Optional<MergeChain> pending = changes.get().between(meta.applied(region, view), to);
      return pending.isPresent()
          ? pending.get().applyTo(before.map(ByteBuffer::wrap), execution).map(Bytes::of)
          : before;
    }
  }

  /**
   * The value of a key in the region's range if it can be read without the disk; empty if it
   * cannot, if there is no value or an empty one, if it is a body, or if a change of the key is not
   * applied yet. Does not block.
   */
  public Optional<byte[]> getCached(Key key) {
    if (overlay.changes(key).isPresent()) {
      return Optional.empty();
    }
    Optional<byte[]> row = database.getCached(family, key.bytes());
    return format == RowFormat.PLAIN
        ? row
        : row.filter(bytes -> !format.isBody(ByteBuffer.wrap(bytes))).map(this::inline);
  }

  /**
   * The cost model's plan for a scan of the first rows of a range. Reads the overlay but not the
   * database.
   */
  public ScanPlan plan(KeyRange range, ScanOrder order, int rowsMax) throws IOException {
    try (Overlay.Pin pin = overlay.pin()) {
      CostModel.Removals removals =
          CostModel.removals(pin.changes(range, order), pin.from(), pin.upTo(), rowsMax, execution);
      return CostModel.choose(rowsMax, removals, pin.from(), meter.costs());
    }
  }

  /** The first rows of a range within the region's range, see {@code RegionStore.cut}. */
  public ScanCut scan(KeyRange range, ScanOrder order, int rowsMax, int bytesMax, ScanPlan plan)
      throws IOException {
    Cut<ScanPage.Row> cut =
        cut(
            range,
            order,
            plan,
            new Page<>(
                rowsMax,
                bytesMax,
                (key, row) -> new ScanPage.Row(key, format.value(row)),
                row -> row.value().remaining()));
    return new ScanCut(new ScanPage(cut.rows(), cut.continueAt()), cut.position());
  }

  /** As {@link #scan}, with what is stored as the values. */
  public StoredCut scanStored(
      KeyRange range, ScanOrder order, int rowsMax, int bytesMax, ScanPlan plan)
      throws IOException {
    Cut<StoredCut.Row> cut =
        cut(
            range,
            order,
            plan,
            new Page<>(
                rowsMax,
                bytesMax,
                (key, row) -> new StoredCut.Row(key, format.stored(row)),
                row -> row.value().length()));
    return new StoredCut(cut.rows(), cut.continueAt(), cut.position());
  }

  private <R> Cut<R> cut(KeyRange range, ScanOrder order, ScanPlan plan, Page<R> page)
      throws IOException {
    try (Overlay.Pin pin = overlay.pin();
        NativeScope scope = database.child("scan")) {
      Iterator<Map.Entry<Key, PendingVersions>> changes = pin.changes(range, order);
      if (changes.hasNext()) {
        overlayReads.add(1);
      }
      Snapshot view = database.snapshot(scope);
      Position from = meta.applied(region, database.readOptions(scope, view));
      DatabaseRows databaseRows = new DatabaseRows(cursor(scope, range, order, view));
      long started = System.nanoTime();
      RowIterator state =
          plan.stateRows() > 0
              ? new PrefetchingIterator(databaseRows, plan.stateRows(), page.bytesMax)
              : databaseRows;
      Optional<Key> continueAt =
          page.fill(new MergingIterator(state, changes, order, from, pin.upTo(), execution), order);
      meter.rowsRead(databaseRows.steps(), System.nanoTime() - started);
      meter.scanned(plan.way());
      return new Cut<>(page.rows, continueAt, newer(from, pin.upTo()));
    }
  }

  /** The newest readable position. */
  public Position readable(Position applied) {
    return newer(applied, overlay.upTo());
  }

  private static Position newer(Position one, Position other) {
    return one.covers(other) ? one : other;
  }

  private Database.Cursor cursor(NativeScope scope, KeyRange range, ScanOrder order, Snapshot view)
      throws IOException {
    byte[] from = range.start().bytes();
    Optional<byte[]> to = range.end().map(Key::bytes);
    return switch (order) {
      case FORWARD -> database.cursor(scope, family, from, to, Optional.of(view));
      case REVERSE -> database.reverseCursor(scope, family, from, to, Optional.of(view));
    };
  }

  /** A page at a position. */
  private record Cut<R>(List<R> rows, Optional<Key> continueAt, Position position) {}

  /** Collects rows within the bounds of a page. */
  private static final class Page<R> {
    private final int rowsMax;
    private final int bytesMax;
    private final BiFunction<Key, ByteBuffer, R> decoder;
    private final ToIntFunction<R> valueBytes;
    private final List<R> rows = new ArrayList<>();

    /**
     * @param decoder converts a key and its row of the database
     * @param valueBytes returns the length of the value
     */
    Page(
        int rowsMax,
        int bytesMax,
        BiFunction<Key, ByteBuffer, R> decoder,
        ToIntFunction<R> valueBytes) {
      this.rowsMax = rowsMax;
      this.bytesMax = bytesMax;
      this.decoder = decoder;
      this.valueBytes = valueBytes;
    }

    /** Fills the page; returns the bound at which the next one continues. */
    Optional<Key> fill(RowIterator from, ScanOrder order) throws IOException {
      Key last = Key.EMPTY;
      long bytes = 0;
      for (; from.isAtRow(); from.next()) {
        if (rows.size() == rowsMax) {
          return Optional.of(order.boundAfter(last));
        }
        Key key = from.key();
        R row = decoder.apply(key, from.value());
        bytes += key.size() + valueBytes.applyAsInt(row);
        if (bytes > bytesMax && !rows.isEmpty()) {
          return Optional.of(order.boundAfter(last));
        }
        last = key;
        rows.add(row);
      }
      return Optional.empty();
    }
  }

  /** The database's rows without changes from the overlay. */
  private static final class DatabaseRows implements RowIterator {
    private final Database.Cursor cursor;
    private Optional<Key> key = Optional.empty();
    private long steps;

    DatabaseRows(Database.Cursor cursor) {
      this.cursor = cursor;
    }

    /** Number of rows passed. */
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
