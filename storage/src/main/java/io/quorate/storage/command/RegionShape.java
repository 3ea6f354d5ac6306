package io.quorate.storage.command;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.operation.Operation;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The range of a region, and its splits as far as they determine what a {@link Operation.Split}
 * does. It is replicated state: it changes by commands in the log of the region, or by a snapshot
 * (decision 0034). Immutable. Encoded, with big-endian integers, as:
 *
 * <pre>
 * shape := range, see {@link KeyRange} newestChild(i32) parent(i32, -1 for none)
 *          inheritedEpoch(i64, absent if 0)
 * </pre>
 *
 * @param range the keys of the region
 * @param newestChild the greatest id of a child that the region has; that of the region itself
 *     before its first split
 * @param parent the region that was split when this one began; empty for a region that began empty
 * @param inheritedEpoch the greatest epoch of a body of large values that the region may have had
 *     when it began, so that its own have greater ones; 0 if it began without bodies
 */
public record RegionShape(
    KeyRange range, GroupId newestChild, Optional<GroupId> parent, long inheritedEpoch) {

  private static final int NO_PARENT = -1;

  /** What a split does. */
  public enum SplitEffect {
    /** It takes effect now. */
    SPLITS,
    /** It has taken effect before, and has no effect now. */
    IN_FORCE,
    /** It has no effect: its key is not strictly inside the range. */
    INVALID
  }

  /** The shape of a region that begins empty. */
  public static RegionShape initial(GroupId region, KeyRange range) {
    return new RegionShape(range, region, Optional.empty(), 0);
  }

  /** Length of the encoding in bytes. */
  public int encodedBytes() {
    return range.encodedBytes() + 2 * Integer.BYTES + (inheritsBodies() ? Long.BYTES : 0);
  }

  /** Whether the region may have begun with bodies, which its encoding then shows. */
  public boolean inheritsBodies() {
    return inheritedEpoch > 0;
  }

  /** Writes the encoding at the buffer's position; returns the buffer. */
  public ByteBuffer write(ByteBuffer to) {
    range
        .write(to)
        .putInt(newestChild.value())
        .putInt(parent.map(GroupId::value).orElse(NO_PARENT));
    return inheritsBodies() ? to.putLong(inheritedEpoch) : to;
  }

  /**
   * Decodes a shape at the buffer's position and advances the position past it.
   *
   * @param inheritsBodies whether the encoding has an inherited epoch
   * @throws BufferUnderflowException if the encoding is incomplete
   * @throws IllegalArgumentException if it is invalid
   */
  public static RegionShape read(ByteBuffer from, boolean inheritsBodies) {
    KeyRange range = KeyRange.read(from);
    GroupId newestChild = new GroupId(from.getInt());
    int parent = from.getInt();
    return new RegionShape(
        range,
        newestChild,
        parent == NO_PARENT ? Optional.empty() : Optional.of(new GroupId(parent)),
        inheritsBodies ? from.getLong() : 0);
  }

  /** Whether the region has neither been split nor begun by a split. */
  public boolean isInitial(GroupId region) {
    return newestChild.equals(region) && parent.isEmpty();
  }

  /**
   * Whether the region has every key of an operation. An operation of a server has none. The empty
   * key, which is a bound of ranges and never stored, is in no region: such an operation is refused
   * and must not be repeated elsewhere, so the key does not count here.
   */
  public boolean hasKeysOf(Operation operation) {
    return switch (operation.kind()) {
      case PUT,
          PUT_BODY,
          RESOLVED,
          DELETE,
          APPEND,
          INCREMENT,
          INCREMENT_AND_GET,
          GET_AND_PUT,
          COMPARE_AND_SET ->
          has(((Operation.OnKey) operation).key());
      case BATCH ->
          ((Operation.Batch) operation).operations().stream().allMatch(part -> has(part.key()));
      case EXPIRE_SESSIONS, SPLIT -> true;
    };
  }

  private boolean has(Key key) {
    return key.isEmpty() || range.contains(key);
  }

  /** What a split of the region does, in a state with this shape. */
  public SplitEffect effectOf(Operation.Split split) {
    if (split.child().compareTo(newestChild) <= 0) {
      return SplitEffect.IN_FORCE;
    }
    boolean isInside = range.contains(split.at()) && !range.start().equals(split.at());
    return isInside ? SplitEffect.SPLITS : SplitEffect.INVALID;
  }

  /** The shape of the region after a split that {@linkplain SplitEffect#SPLITS takes effect}. */
  public RegionShape after(Operation.Split split) {
    return new RegionShape(
        new KeyRange(range.start(), Optional.of(split.at())),
        split.child(),
        parent,
        inheritedEpoch);
  }

  /**
   * The shape of the child after a split that {@linkplain SplitEffect#SPLITS takes effect}.
   *
   * @param region this region
   * @param epoch that of the position of the split if the values of the region may be bodies, 0 if
   *     not
   */
  public RegionShape childOf(GroupId region, Operation.Split split, long epoch) {
    return new RegionShape(
        new KeyRange(split.at(), range.end()), split.child(), Optional.of(region), epoch);
  }

  /**
   * Whether a later state of the region may have another shape: the same one, or a part of its
   * range from the same start on, after further splits.
   */
  public boolean mayBecome(RegionShape later) {
    if (newestChild.equals(later.newestChild())) {
      return equals(later);
    }
    return later.newestChild().compareTo(newestChild) > 0
        && later.parent().equals(parent)
        && later.inheritedEpoch() == inheritedEpoch
        && later.range().start().equals(range.start())
        && range.covers(later.range());
  }
}
