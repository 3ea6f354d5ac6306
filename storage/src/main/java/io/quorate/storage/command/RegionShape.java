package io.quorate.storage.command;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Operation;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The range of a region, and its splits and merges as far as they determine what later ones do. It
 * is replicated state: it changes by commands in the log of the region, or by a snapshot (decisions
 * 0034 and 0055). Immutable. Encoded, with big-endian integers, as:
 *
 * <pre>
 * shape := range, see {@link KeyRange} newestChange(i32) parent(i32, -1 for none)
 *          inheritedEpoch(i64, absent if 0)
 * </pre>
 *
 * @param range the keys of the region; while it is frozen those that it had before and has none of
 * @param newestChange the greatest number of a child or of a merge of the region; the id of the
 *     region itself before its first one
 * @param parent the region that was split when this one began; empty for a region that began empty
 * @param inheritedEpoch the greatest epoch of a body of large values that the region may have had
 *     when it began, so that its own have greater ones; 0 if it began without bodies
 * @param isFrozen whether the region is about to be absorbed by the one before it
 */
public record RegionShape(
    KeyRange range,
    GroupId newestChange,
    Optional<GroupId> parent,
    long inheritedEpoch,
    boolean isFrozen) {

  private static final int NO_PARENT = -1;

  /** What the encoding contains besides the first three fields. */
  public enum Encoding {
    PLAIN(false, false),
    INHERITED(true, false),
    FROZEN(false, true),
    INHERITED_FROZEN(true, true);

    private final boolean inheritsBodies;
    private final boolean isFrozen;

    Encoding(boolean inheritsBodies, boolean isFrozen) {
      this.inheritsBodies = inheritsBodies;
      this.isFrozen = isFrozen;
    }

    private static Encoding of(RegionShape shape) {
      return values()[(shape.inheritsBodies() ? 1 : 0) + (shape.isFrozen() ? 2 : 0)];
    }
  }

  /** What a command that changes the shape does. */
  public enum Effect {
    /** It takes effect now. */
    CHANGES,
    /** It has taken effect before, or can no longer, and has no effect now. */
    PAST,
    /** It has no effect: it does not fit the range. */
    INVALID
  }

  /** The shape of a region that begins empty. */
  public static RegionShape initial(GroupId region, KeyRange range) {
    return new RegionShape(range, region, Optional.empty(), 0, false);
  }

  /** Length of the encoding in bytes. */
  public int encodedBytes() {
    return range.encodedBytes() + 2 * Integer.BYTES + (inheritsBodies() ? Long.BYTES : 0);
  }

  /** How the shape is encoded, which the reader must know. */
  public Encoding encoding() {
    return Encoding.of(this);
  }

  /** Whether the region may have begun with bodies, which its encoding then shows. */
  public boolean inheritsBodies() {
    return inheritedEpoch > 0;
  }

  /** Writes the encoding at the buffer's position; returns the buffer. */
  public ByteBuffer write(ByteBuffer to) {
    range
        .write(to)
        .putInt(newestChange.value())
        .putInt(parent.map(GroupId::value).orElse(NO_PARENT));
    return inheritsBodies() ? to.putLong(inheritedEpoch) : to;
  }

  /**
   * Decodes a shape at the buffer's position and advances the position past it.
   *
   * @throws BufferUnderflowException if the encoding is incomplete
   * @throws IllegalArgumentException if it is invalid
   */
  public static RegionShape read(ByteBuffer from, Encoding encoding) {
    KeyRange range = KeyRange.read(from);
    GroupId newestChange = new GroupId(from.getInt());
    int parent = from.getInt();
    return new RegionShape(
        range,
        newestChange,
        parent == NO_PARENT ? Optional.empty() : Optional.of(new GroupId(parent)),
        encoding.inheritsBodies ? from.getLong() : 0,
        encoding.isFrozen);
  }

  /** Whether the region has neither changed its range nor begun by a split. */
  public boolean isInitial(GroupId region) {
    return newestChange.equals(region) && parent.isEmpty();
  }

  /** The keys that the region has: none while it is frozen. */
  public KeyRange keys() {
    return isFrozen ? KeyRange.of(range.start(), range.start()) : range;
  }

  /**
   * Whether the region has every key of an operation. One on sessions has none, but the sessions of
   * a frozen region do not change either. The empty key, which is a bound of ranges and never
   * stored, is in no region: such an operation is refused and must not be repeated elsewhere, so
   * the key does not count here.
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
      case EXPIRE_SESSIONS, END_SESSION -> !isFrozen;
      case DIGEST, SPLIT, FREEZE, UNFREEZE, ABSORB -> true;
    };
  }

  private boolean has(Key key) {
    return key.isEmpty() || keys().contains(key);
  }

  /** What a command does, in a state with this shape. */
  public Effect effectOf(Operation.OnRange change) {
    if (change instanceof Operation.Unfreeze && isFrozen && change.number().equals(newestChange)) {
      return Effect.CHANGES;
    }
    if (change.number().compareTo(newestChange) <= 0) {
      return Effect.PAST;
    }
    return fits(change) ? Effect.CHANGES : Effect.INVALID;
  }

  /** Whether a command with a new number can take effect. */
  private boolean fits(Operation.OnRange change) {
    if (isFrozen) {
      return false;
    }
    if (change instanceof Operation.Split split) {
      return range.contains(split.at()) && !range.start().equals(split.at());
    }
    if (change instanceof Operation.Absorb absorb) {
      return range.end().equals(Optional.of(absorb.range().start()));
    }
    return change instanceof Operation.Freeze;
  }

  /** The shape of the region after a command that {@linkplain Effect#CHANGES takes effect}. */
  public RegionShape after(Operation.OnRange change) {
    KeyRange changed = range;
    if (change instanceof Operation.Split split) {
      changed = new KeyRange(range.start(), Optional.of(split.at()));
    } else if (change instanceof Operation.Absorb absorb) {
      changed = new KeyRange(range.start(), absorb.range().end());
    }
    return new RegionShape(
        changed, change.number(), parent, inheritedEpoch, change instanceof Operation.Freeze);
  }

  /**
   * The shape of the child after a split that {@linkplain Effect#CHANGES takes effect}.
   *
   * @param region this region
   * @param epoch that of the position of the split if the values of the region may be bodies, 0 if
   *     not
   */
  public RegionShape childOf(GroupId region, Operation.Split split, long epoch) {
    return new RegionShape(
        new KeyRange(split.at(), range.end()), split.child(), Optional.of(region), epoch, false);
  }

  /**
   * Whether a later state of the region may have another shape: the same one, or one after further
   * splits and merges, which leave the first key to the region.
   */
  public boolean mayBecome(RegionShape later) {
    if (!later.parent().equals(parent)
        || later.inheritedEpoch() != inheritedEpoch
        || !later.range().start().equals(range.start())) {
      return false;
    }
    return newestChange.equals(later.newestChange())
        ? range.equals(later.range()) && (isFrozen || !later.isFrozen())
        : later.newestChange().compareTo(newestChange) > 0;
  }

  /**
   * Whether a state of another region on the same node is obsolete, because the region with this
   * shape has absorbed it, perhaps by way of others. Numbers increase from change to change, and a
   * region loses its first key only if it is absorbed. So a region that begins at one of these keys
   * with a lower number than the newest change was absorbed by it or before, and one with a greater
   * number began by a later split.
   *
   * @param start the first key of the other region
   */
  public boolean hasAbsorbed(GroupId other, Key start) {
    return range.contains(start)
        && !range.start().equals(start)
        && other.compareTo(newestChange) < 0;
  }
}
