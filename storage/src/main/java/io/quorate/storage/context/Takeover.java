package io.quorate.storage.context;

import io.quorate.model.GroupId;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.MetaRows;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A region receives the keys of others on this node, which it has absorbed in the replicated order
 * (decision 0055). Their states here are replaced by its own, however far they are: a replica that
 * has yet to apply the end of its region must not write rows that the other one has. Used by one
 * thread, which changes the region; {@link #close} ends it.
 */
public final class Takeover implements AutoCloseable {
  private final LocalRanges ranges;
  private final MetaRows meta;
  private final GroupId region;
  private final Keyspace keyspace;
  private final RegionShape shape;
  private final List<LocalRanges.Absorbed> absorbed;
  private final List<ChangeGate> entered;

  private Takeover(
      StorageContext context,
      GroupId region,
      Keyspace keyspace,
      RegionShape shape,
      List<LocalRanges.Absorbed> absorbed,
      List<ChangeGate> entered) {
    this.ranges = context.ranges();
    this.meta = context.meta();
    this.region = region;
    this.keyspace = keyspace;
    this.shape = shape;
    this.absorbed = absorbed;
    this.entered = entered;
  }

  /**
   * Ends the absorbed regions on this node: nothing is applied to them, and none of their keys is
   * read, from now on, also if what follows fails and is repeated. Blocks while one of them
   * changes.
   *
   * @param shape the shape that the region is about to have
   * @throws OverlappingRangesException if a region that is not absorbed has keys of it; nothing has
   *     changed
   */
  public static Takeover begin(
      StorageContext context, GroupId region, Keyspace keyspace, RegionShape shape)
      throws OverlappingRangesException {
    List<LocalRanges.Absorbed> absorbed = context.ranges().absorbed(region, keyspace, shape);
    List<ChangeGate> entered = absorbed.stream().map(LocalRanges.Absorbed::gate).toList();
    entered.forEach(ChangeGate::enter);
    entered.forEach(ChangeGate::absorb);
    return new Takeover(context, region, keyspace, shape, absorbed, entered);
  }

  /**
   * As {@link #begin}, without blocking: empty, and nothing has changed, if one of them changes.
   */
  public static Optional<Takeover> tryBegin(
      StorageContext context, GroupId region, Keyspace keyspace, RegionShape shape)
      throws OverlappingRangesException {
    List<LocalRanges.Absorbed> absorbed = context.ranges().absorbed(region, keyspace, shape);
    List<ChangeGate> entered = new ArrayList<>();
    for (LocalRanges.Absorbed each : absorbed) {
      if (!each.gate().tryEnter()) {
        entered.forEach(ChangeGate::leave);
        return Optional.empty();
      }
      entered.add(each.gate());
    }
    entered.forEach(ChangeGate::absorb);
    return Optional.of(new Takeover(context, region, keyspace, shape, absorbed, entered));
  }

  /** Whether a region is absorbed here. */
  public boolean isAny() {
    return !absorbed.isEmpty();
  }

  /** Adds the removal of the states of the absorbed regions to a batch, before the new rows. */
  public void addTo(DatabaseBatch batch) throws IOException {
    for (LocalRanges.Absorbed each : absorbed) {
      batch.deleteRows(Family.of(keyspace), each.range());
      batch.deleteRange(
          Family.SESSIONS,
          SessionRows.regionStart(each.region()),
          SessionRows.regionEnd(each.region()));
      meta.deleteBase(batch, each.region());
      meta.deleteApplied(batch, each.region());
      meta.deleteInstallMarker(batch, each.region());
    }
  }

  /** Called when the batch is written: gives the region its range. */
  public void written() {
    ranges.takeOver(region, keyspace, shape.range(), absorbed);
  }

  @Override
  public void close() {
    entered.forEach(ChangeGate::leave);
  }
}
