package io.quorate.storage.session;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.KnownPosition;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which requests a region may have executed in a session that it has removed since. It is
 * replicated state, needs no clock, and only ever excludes more requests. Immutable. Encoded, with
 * big-endian integers, as:
 *
 * <pre>
 * fence := region(i32) limit(i64) forgetsOthers(u8) count(i32) other*
 * other := region(i32) limit(i64)
 * </pre>
 *
 * <p>A request is executed at a higher position than the one that its client knew when the call
 * began, and its session was active there. So if no session with activity above that position was
 * removed, the request is either in its session or was never executed. The limit of a region is the
 * highest position at which a removed session was active.
 *
 * <p>A call that began when another region had its keys knows a position of that region. A child
 * begins with the limits of its parent; a region that absorbs another one excludes what either of
 * the two does. As soon as the region removes a session itself, it excludes all calls that began
 * elsewhere: their positions say nothing about the session.
 */
public final class SessionFence {
  /** No session was removed. */
  private static final long NOTHING = -1;

  private static final long EVERYTHING = Long.MAX_VALUE;

  /** Beyond it, calls that began in other regions are excluded. */
  private static final int OTHERS_MAX = 64;

  private static final int HEAD_BYTES = 2 * Integer.BYTES + Long.BYTES + 1;
  private static final int OTHER_BYTES = Integer.BYTES + Long.BYTES;

  private final GroupId region;
  private final long limit;

  /** The limits of regions whose calls this one may have executed. */
  private final TreeMap<GroupId, Long> others;

  /** Whether the region may have executed calls that began in regions it has no limit of. */
  private final boolean forgetsOthers;

  private SessionFence(
      GroupId region, long limit, TreeMap<GroupId, Long> others, boolean forgetsOthers) {
    this.region = region;
    this.limit = limit;
    this.others = others;
    this.forgetsOthers = forgetsOthers;
  }

  /** The fence of a region that has removed no session and begins without any. */
  public static SessionFence none(GroupId region) {
    return new SessionFence(region, NOTHING, new TreeMap<>(), false);
  }

  /** Whether a request must not be executed unless its session has its result. */
  public boolean excludes(KnownPosition known) {
    if (known.isNone()) {
      return forgetsOthers
          || limit != NOTHING
          || others.values().stream().anyMatch(other -> other != NOTHING);
    }
    if (known.region() == region.value()) {
      return known.index() < limit;
    }
    Long other = others.get(new GroupId(known.region()));
    return other == null || known.index() < other;
  }

  /**
   * The fence after a session was removed.
   *
   * @param lastActive where the session was active last; {@link Position#NONE} if that was in the
   *     region's parent
   */
  SessionFence removed(Position lastActive) {
    return new SessionFence(
        region,
        Math.max(limit, lastActive.index()),
        new TreeMap<>(),
        forgetsOthers || !others.isEmpty());
  }

  /** The fence with which a child of the region begins. */
  public SessionFence ofChild(GroupId child) {
    TreeMap<GroupId, Long> inherited = new TreeMap<>(others);
    inherited.put(region, limit);
    return bounded(child, NOTHING, inherited, forgetsOthers);
  }

  /**
   * The fence of the region after it has absorbed another one.
   *
   * @param at the position at which it does
   */
  SessionFence absorbing(SessionFence absorbed, Position at) {
    TreeMap<GroupId, Long> known = new TreeMap<>(others);
    known.putAll(absorbed.others);
    known.put(absorbed.region, absorbed.limit);
    known.remove(region);
    TreeMap<GroupId, Long> merged = new TreeMap<>();
    boolean forgets = forgetsOthers || absorbed.forgetsOthers;
    for (GroupId other : known.keySet()) {
      long higher = Math.max(limitOf(other), absorbed.limitOf(other));
      if (higher == EVERYTHING) {
        forgets = true;
      } else {
        merged.put(other, higher);
      }
    }
    // What began here at this position or later was not executed by the other one.
    long own = Math.max(limit, Math.min(absorbed.limitOf(region), at.index()));
    return bounded(region, own, merged, forgets);
  }

  private long limitOf(GroupId other) {
    if (other.equals(region)) {
      return limit;
    }
    // Calls of a region that it never knew are excluded, so that it has executed none of them.
    return others.getOrDefault(other, forgetsOthers ? EVERYTHING : NOTHING);
  }

  private static SessionFence bounded(
      GroupId region, long limit, TreeMap<GroupId, Long> others, boolean forgetsOthers) {
    return others.size() <= OTHERS_MAX
        ? new SessionFence(region, limit, others, forgetsOthers)
        : new SessionFence(region, limit, new TreeMap<>(), true);
  }

  /** Length of the encoding in bytes. */
  public int size() {
    return HEAD_BYTES + others.size() * OTHER_BYTES;
  }

  /** Writes the encoding at the buffer's position; returns the buffer. */
  public ByteBuffer write(ByteBuffer to) {
    to.putInt(region.value()).putLong(limit).put((byte) (forgetsOthers ? 1 : 0));
    to.putInt(others.size());
    others.forEach((other, its) -> to.putInt(other.value()).putLong(its));
    return to;
  }

  /** The encoding, in a new buffer. */
  public ByteBuffer encoded() {
    return write(ByteBuffer.allocate(size())).flip();
  }

  /**
   * Decodes a fence at the buffer's position and advances the position past it.
   *
   * @throws BufferUnderflowException if the encoding is incomplete
   * @throws IllegalArgumentException if it is invalid
   */
  public static SessionFence read(ByteBuffer from) {
    GroupId region = new GroupId(from.getInt());
    long limit = from.getLong();
    boolean forgetsOthers = from.get() != 0;
    int count = from.getInt();
    if (count < 0 || count > OTHERS_MAX) {
      throw new IllegalArgumentException("A fence has the limits of " + count + " regions");
    }
    TreeMap<GroupId, Long> others = new TreeMap<>();
    for (int left = count; left > 0; left--) {
      others.put(new GroupId(from.getInt()), from.getLong());
    }
    return new SessionFence(region, limit, others, forgetsOthers);
  }

  /**
   * The fence in the row of a region; that of a region that has removed no session without one.
   *
   * @throws IOException if the row is damaged
   */
  public static SessionFence ofRow(GroupId region, Optional<byte[]> row) throws IOException {
    try {
      return row.isPresent() ? read(ByteBuffer.wrap(row.get())) : none(region);
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new IOException("The fence of the sessions of region " + region + " is damaged.", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SessionFence fence
        && region.equals(fence.region)
        && limit == fence.limit
        && others.equals(fence.others)
        && forgetsOthers == fence.forgetsOthers;
  }

  @Override
  public int hashCode() {
    return region.hashCode() + Long.hashCode(limit);
  }

  @Override
  public String toString() {
    return region + ":" + limit + (forgetsOthers ? " without " : " with ") + others;
  }
}
