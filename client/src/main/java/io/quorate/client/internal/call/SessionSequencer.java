package io.quorate.client.internal.call;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.RequestId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Assigns sequence numbers to the writes of one client and tracks, for each region, the lowest
 * number that may still be retried (the floor). Used by one thread.
 *
 * <p>A region keeps a limited number of results above the floor for deduplication ({@link
 * RequestId#WINDOW}). While one write to a region is stuck, at most that many later ones are sent
 * to it; other regions are not affected.
 *
 * <p>A region that begins by a split also keeps the results of the region that was split. It begins
 * here with the window of that region, so that its floor stays below the writes that may have been
 * executed before the split, and that it has no more results than its window. For the same reason a
 * region that has absorbed another one by a merge takes in the window of that region. Its floor may
 * have been above some of those writes already.
 *
 * <p>A write keeps the position of its region that was known when it began, so that the region
 * recognizes a copy whose session it may have removed since.
 */
final class SessionSequencer {
  /**
   * The results that a region keeps in any case when it absorbs another one. It may drop others,
   * and its floor is above them then.
   */
  private static final int RESULTS_AFTER_MERGE = RequestId.resultsAfterMerge(RequestId.WINDOW);

  /** A write with its sequence number. */
  private static final class SequencedWrite {
    final long sequence;

    /** What was known before any copy was sent. */
    final KnownPosition known;

    /** Those whose {@link RegionWindow#sinceFloor} has the write. */
    final List<RegionWindow> windows = new ArrayList<>(1);

    /** That of the region to which the write is sent. */
    RegionWindow window;

    boolean ended;

    /** Of a write that no call goes on with; ends it. */
    Optional<Runnable> whenInTheWay = Optional.empty();

    SequencedWrite(long sequence, KnownPosition known, RegionWindow window) {
      this.sequence = sequence;
      this.known = known;
      this.window = window;
    }
  }

  /**
   * The writes of which one region may have results, from the first one that has not ended: those
   * to the region, to the region that was split when it began, and to those that it has absorbed.
   */
  private static final class RegionWindow {
    final GroupId region;

    /** Ordered by sequence, unless a write was added that began in another window. */
    final ArrayDeque<SequencedWrite> sinceFloor = new ArrayDeque<>();

    /** The writes in {@link #sinceFloor} that were sent to another region since. */
    final Set<SequencedWrite> left = new HashSet<>();

    final Set<Runnable> waiting = new LinkedHashSet<>();

    /** An upper bound of the floor of the session in the region. */
    long highestFloor;

    /** Whether the region is not in the topology any more. */
    boolean hasEnded;

    RegionWindow(GroupId region) {
      this.region = region;
    }

    boolean isObsolete() {
      return hasEnded && sinceFloor.isEmpty() && waiting.isEmpty();
    }

    boolean hasCapacity() {
      return sinceFloor.size() < RequestId.WINDOW;
    }

    void add(SequencedWrite write) {
      left.remove(write);
      if (!write.windows.contains(this)) {
        write.windows.add(this);
        sinceFloor.add(write);
      }
    }

    void leave(SequencedWrite write) {
      left.add(write);
    }

    /**
     * Adds the writes of other windows, of which the region may have results. Only those that have
     * left every window, this one too, have left it afterwards.
     */
    void takeIn(List<RegionWindow> others) {
      List<RegionWindow> all = new ArrayList<>(others);
      all.add(this);
      List<SequencedWrite> ordered =
          all.stream()
              .flatMap(window -> window.sinceFloor.stream())
              .distinct()
              .sorted(Comparator.comparingLong(write -> write.sequence))
              .toList();
      List<SequencedWrite> leftAll =
          ordered.stream()
              .filter(write -> all.stream().allMatch(window -> window.isWithout(write)))
              .toList();
      sinceFloor.clear();
      left.clear();
      for (SequencedWrite write : ordered) {
        sinceFloor.add(write);
        if (!write.windows.contains(this)) {
          write.windows.add(this);
        }
      }
      left.addAll(leftAll);
      others.forEach(window -> highestFloor = Math.max(highestFloor, window.highestFloor));
      if (others.stream().anyMatch(window -> window.hasEnded)
          && sinceFloor.size() > RESULTS_AFTER_MERGE) {
        highestFloor = Math.max(highestFloor, sinceFloor.peekLast().sequence + 1);
      }
    }

    private boolean isWithout(SequencedWrite write) {
      return left.contains(write) || !write.windows.contains(this);
    }

    void dropEnded() {
      while (!sinceFloor.isEmpty()
          && (sinceFloor.peek().ended || left.contains(sinceFloor.peek()))) {
        SequencedWrite first = sinceFloor.remove();
        first.windows.remove(this);
        left.remove(first);
      }
    }
  }

  private final ClientId client;
  private final Map<GroupId, RegionWindow> windows = new HashMap<>();
  private final Map<Long, SequencedWrite> outstanding = new HashMap<>();

  /** The highest position of each region that a response has shown. */
  private final Map<GroupId, KnownPosition> known = new HashMap<>();

  private long last;

  SessionSequencer(ClientId client) {
    this.client = client;
  }

  /**
   * Returns the sequence number of a new write to a region, which is outstanding from now on; empty
   * if the window of the region is full.
   */
  OptionalLong begin(GroupId region) {
    RegionWindow window = window(region);
    if (!makeCapacity(window)) {
      return OptionalLong.empty();
    }
    SequencedWrite write =
        new SequencedWrite(++last, known.getOrDefault(region, KnownPosition.NONE), window);
    outstanding.put(write.sequence, write);
    window.add(write);
    return OptionalLong.of(write.sequence);
  }

  /** Records that a response showed a position of a region that had been reached. */
  void learn(GroupId region, Position reached) {
    KnownPosition before = known.getOrDefault(region, KnownPosition.NONE);
    if (reached.index() > before.index()) {
      known.put(region, KnownPosition.of(region, reached));
    }
  }

  /**
   * Runs the callback once when the window of the region has capacity for another write. The
   * callback may {@link #begin} one.
   */
  void awaitCapacity(GroupId region, Runnable callback) {
    window(region).waiting.add(callback);
  }

  /**
   * Updates the windows after a change of the topology. A region that is new, or has absorbed
   * another one, takes in the windows of the regions whose sessions it may have. Callbacks that
   * await capacity of a region that has ended run now, since they are to await that of another
   * region. To be called before a write is sent by the new topology.
   *
   * @param former in key order
   * @param present in key order
   */
  void regionsChanged(List<RegionDescriptor> former, List<RegionDescriptor> present) {
    Set<GroupId> remaining =
        present.stream().map(RegionDescriptor::id).collect(Collectors.toUnmodifiableSet());
    known.keySet().retainAll(remaining);
    windows.values().forEach(window -> window.hasEnded = !remaining.contains(window.region));
    Map<GroupId, List<RegionWindow>> families = families(former, remaining);
    List<RegionWindow> family = List.of();
    for (RegionDescriptor region : present) {
      family = families.getOrDefault(region.id(), family);
      List<RegionWindow> others =
          family.stream().filter(window -> !window.region.equals(region.id())).toList();
      if (!others.isEmpty()) {
        window(region.id()).takeIn(others);
      }
    }
    releaseEnded();
  }

  /**
   * The windows of the former regions by the nearest one at or before them that remains. The first
   * key of a region never changes, and merges are with the region before. So no session has crossed
   * the first key of a region that remains, even if regions have merged and split several times
   * since the former topology.
   */
  private Map<GroupId, List<RegionWindow>> families(
      List<RegionDescriptor> former, Set<GroupId> remaining) {
    Map<GroupId, List<RegionWindow>> families = new HashMap<>();
    List<RegionWindow> family = new ArrayList<>();
    for (RegionDescriptor region : former) {
      if (remaining.contains(region.id())) {
        family = new ArrayList<>();
        families.put(region.id(), family);
      }
      if (windows.containsKey(region.id())) {
        family.add(windows.get(region.id()));
      }
    }
    return families;
  }

  private void releaseEnded() {
    List<Runnable> released = new ArrayList<>();
    for (RegionWindow window : windows.values()) {
      if (window.hasEnded) {
        released.addAll(window.waiting);
        window.waiting.clear();
      }
    }
    windows.values().removeIf(RegionWindow::isObsolete);
    released.forEach(Runnable::run);
  }

  /** Removes a callback that has not run. */
  void stopWaiting(Runnable callback) {
    windows.values().forEach(window -> window.waiting.remove(callback));
  }

  /**
   * Keeps a write outstanding that no call goes on with, until it ends.
   *
   * @param whenInTheWay run when a region has no capacity for other writes because of this one; it
   *     ends the write
   */
  void hold(long sequence, Runnable whenInTheWay) {
    SequencedWrite write = outstanding.get(sequence);
    write.whenInTheWay = Optional.of(whenInTheWay);
    List.copyOf(write.windows).forEach(this::settle);
  }

  /** Called when a call goes on with a write that is held. */
  void resume(long sequence) {
    outstanding.get(sequence).whenInTheWay = Optional.empty();
  }

  /** Called when the write has its result or was given up, and is not sent again. */
  void end(long sequence) {
    SequencedWrite write = outstanding.remove(sequence);
    if (write != null) {
      write.ended = true;
      List.copyOf(write.windows).forEach(this::settle);
    }
  }

  /**
   * Whether the floor in the session of a region may be above a write. The region then responds
   * that the outcome is unknown, unless it has the result.
   */
  boolean isBelowFloor(long sequence, GroupId region) {
    RegionWindow window = windows.get(region);
    return window != null && sequence < window.highestFloor;
  }

  /**
   * Returns the request id with which an outstanding write is sent to a region now. The region is
   * usually the one for which the write began. If the topology has changed since, the write counts
   * in the window of the new region. If that region began by a split, its floor is not above the
   * number; otherwise {@linkplain #isBelowFloor it may be}.
   */
  RequestId tag(long sequence, GroupId region) {
    SequencedWrite write = outstanding.get(sequence);
    RegionWindow window = window(region);
    if (write.window != window) {
      RegionWindow former = write.window;
      write.window = window;
      former.leave(write);
      window.add(write);
      settle(former);
    }
    long floor = Math.min(sequence, window.sinceFloor.peek().sequence);
    window.highestFloor = Math.max(window.highestFloor, floor);
    return new RequestId(client, sequence, floor, write.known);
  }

  /** Whether a region of the present topology may have a session of the client. */
  boolean mayHaveSession(GroupId region) {
    return windows.containsKey(region);
  }

  /** The request id with which the client ends its sessions; it begins no further write. */
  RequestId lastTag() {
    return new RequestId(client, last + 1, last + 1);
  }

  private void settle(RegionWindow window) {
    window.dropEnded();
    while (!window.waiting.isEmpty() && makeCapacity(window) && !window.waiting.isEmpty()) {
      Runnable next = window.waiting.iterator().next();
      window.waiting.remove(next);
      next.run();
    }
    if (window.isObsolete()) {
      windows.remove(window.region, window);
    }
  }

  /** Ends the first writes if they are held, until there is capacity. */
  private boolean makeCapacity(RegionWindow window) {
    while (!window.hasCapacity() && window.sinceFloor.peek().whenInTheWay.isPresent()) {
      SequencedWrite first = window.sinceFloor.peek();
      first.whenInTheWay.get().run();
      end(first.sequence);
    }
    return window.hasCapacity();
  }

  private RegionWindow window(GroupId region) {
    return windows.computeIfAbsent(region, RegionWindow::new);
  }
}
