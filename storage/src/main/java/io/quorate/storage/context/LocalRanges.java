package io.quorate.storage.context;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.rocks.MetaRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The ranges of the regions on this node, of which no two of a keyspace overlap: otherwise two
 * groups would write the same rows. Any thread; does not block, except {@link #load}.
 *
 * <p>A region has a range here from its beginning until it is removed or another one absorbs it,
 * whether or not its group is open. A child has it when reads of its parent no longer return the
 * keys. Whether the base with the range is on disk is known with it, because a group opens only
 * when it is.
 */
public final class LocalRanges {
  /**
   * The range of a region.
   *
   * @param isDurable whether the base with the range is known to be on disk
   */
  private record Claim(Keyspace keyspace, KeyRange range, boolean isDurable) {}

  /**
   * A region that another one has absorbed.
   *
   * @param range the keys that it has on this node
   */
  record Absorbed(GroupId region, KeyRange range, ChangeGate gate) {}

  private final Map<GroupId, Claim> claims = new HashMap<>();
  private final Map<GroupId, ChangeGate> gates = new HashMap<>();

  /** Adds the regions that have a base on disk. */
  public synchronized void load(MetaRows meta) throws IOException {
    meta.bases()
        .forEach(
            (region, base) ->
                claims.put(region, new Claim(base.keyspace(), base.shape().range(), true)));
  }

  /**
   * Requires that a region with a base has its range.
   *
   * @throws OverlappingRangesException if the split from which it begins is being applied
   */
  public synchronized void require(GroupId region) throws OverlappingRangesException {
    if (!claims.containsKey(region)) {
      throw new OverlappingRangesException(region);
    }
  }

  /**
   * Sets the range of a region, in place of a former one.
   *
   * @throws OverlappingRangesException if another region of the keyspace has a key of it; the
   *     former range stays
   */
  public synchronized void claim(GroupId region, Keyspace keyspace, KeyRange range)
      throws OverlappingRangesException {
    Optional<GroupId> other = other(region, keyspace, range);
    if (other.isPresent()) {
      throw new OverlappingRangesException(
          region, range, other.get(), claims.get(other.get()).range());
    }
    claims.put(region, new Claim(keyspace, range, false));
  }

  /**
   * Whether the base of a region may not be on disk: its range was set since the start, as by a
   * split, and {@link #flushed} was not called since.
   */
  public synchronized boolean mayBeUnflushed(GroupId region) {
    Claim claim = claims.get(region);
    return claim != null && !claim.isDurable();
  }

  /** The base with the present range of a region is on disk. */
  public synchronized void flushed(GroupId region) {
    claims.computeIfPresent(
        region, (same, claim) -> new Claim(claim.keyspace(), claim.range(), true));
  }

  /** Another region than the given one that has a key of a range here; empty if there is none. */
  public synchronized Optional<GroupId> other(GroupId region, Keyspace keyspace, KeyRange range) {
    return claims.entrySet().stream()
        .filter(other -> !other.getKey().equals(region))
        .filter(other -> other.getValue().keyspace() == keyspace)
        .filter(other -> !other.getValue().range().intersect(range).isEmpty())
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Divides the range of a region at a key, from which on a child has it. */
  public synchronized void split(GroupId parent, Key at, GroupId child) {
    Claim whole = claims.get(parent);
    assert !claims.containsKey(child) : "Region " + child + " is here already";
    KeyRange range = whole.range();
    KeyRange lower = new KeyRange(range.start(), Optional.of(at));
    claims.put(parent, new Claim(whole.keyspace(), lower, whole.isDurable()));
    claims.put(child, new Claim(whole.keyspace(), new KeyRange(at, range.end()), false));
  }

  /** The gate of a region, the same one until the region is removed from this node. */
  public synchronized ChangeGate gate(GroupId region) {
    return gates.computeIfAbsent(region, any -> new ChangeGate());
  }

  /**
   * The regions here that a region with a shape has absorbed.
   *
   * @throws OverlappingRangesException if any other region of the keyspace has a key of its range
   */
  synchronized List<Absorbed> absorbed(GroupId region, Keyspace keyspace, RegionShape shape)
      throws OverlappingRangesException {
    List<Absorbed> absorbed = new ArrayList<>();
    for (Map.Entry<GroupId, Claim> other : claims.entrySet()) {
      GroupId id = other.getKey();
      KeyRange range = other.getValue().range();
      if (id.equals(region)
          || other.getValue().keyspace() != keyspace
          || range.intersect(shape.range()).isEmpty()) {
        continue;
      }
      if (!shape.hasAbsorbed(id, range.start())) {
        throw new OverlappingRangesException(region, shape.range(), id, range);
      }
      absorbed.add(new Absorbed(id, range, gate(id)));
    }
    return absorbed;
  }

  /**
   * Requires that a region with a shape may have its range here: it has absorbed every other region
   * that has a key of it.
   *
   * @throws OverlappingRangesException if it has not
   */
  public synchronized void requireAbsorbed(GroupId region, Keyspace keyspace, RegionShape shape)
      throws OverlappingRangesException {
    absorbed(region, keyspace, shape);
  }

  /** Gives a region its range, in place of a former one and of those of the regions it absorbed. */
  synchronized void takeOver(
      GroupId region, Keyspace keyspace, KeyRange range, List<Absorbed> absorbed) {
    absorbed.forEach(each -> claims.remove(each.region()));
    claims.put(region, new Claim(keyspace, range, false));
  }

  /** The region that begins with the greatest key below a key; empty if there is none here. */
  public synchronized Optional<GroupId> below(Keyspace keyspace, Key key) {
    return claims.entrySet().stream()
        .filter(each -> each.getValue().keyspace() == keyspace)
        .filter(each -> each.getValue().range().start().compareTo(key) < 0)
        .max(Comparator.comparing(each -> each.getValue().range().start()))
        .map(Map.Entry::getKey);
  }

  /** The keys that a region has here; empty if it has no state. */
  public synchronized Optional<KeyRange> range(GroupId region) {
    return Optional.ofNullable(claims.get(region)).map(Claim::range);
  }

  /** Removes the range of a region that is not on this node any more. */
  public synchronized void release(GroupId region) {
    claims.remove(region);
    gates.remove(region);
  }
}
