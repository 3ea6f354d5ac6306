package io.quorate.client;

import io.quorate.consensus.GroupId;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * executed before the split, and that it has no more results than its window.
 */
final class SessionSequencer {

  /** A write with its sequence number. */
  private static final class SequencedWrite {
    final long sequence;

    /** Those whose {@link RegionWindow#sinceFloor} has the write. */
    final List<RegionWindow> windows = new ArrayList<>(1);

    /** That of the region to which the write is sent. */
    RegionWindow window;

    boolean ended;

    SequencedWrite(long sequence, RegionWindow window) {
      this.sequence = sequence;
      this.window = window;
    }
  }

  /**
   * The writes of which one region may have results, from the first one that has not ended: those
   * to the region, and those to the region that was split when it began.
   */
  private static final class RegionWindow {
    final ArrayDeque<SequencedWrite> sinceFloor = new ArrayDeque<>();

    /** The writes in {@link #sinceFloor} that were sent to another region since. */
    final Set<SequencedWrite> left = new HashSet<>();

    final Set<Runnable> waiting = new LinkedHashSet<>();

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

    /** Begins with the writes of the windows from whose regions this one has its keys. */
    void begin(List<RegionWindow> origins) {
      origins.stream()
          .flatMap(origin -> origin.sinceFloor.stream())
          .distinct()
          .sorted(Comparator.comparingLong(write -> write.sequence))
          .forEach(this::add);
      sinceFloor.stream()
          .filter(write -> origins.stream().allMatch(origin -> origin.isWithout(write)))
          .forEach(this::leave);
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
    if (!window.hasCapacity()) {
      return OptionalLong.empty();
    }
    SequencedWrite write = new SequencedWrite(++last, window);
    outstanding.put(write.sequence, write);
    window.add(write);
    return OptionalLong.of(write.sequence);
  }

  /**
   * Runs the callback once when the window of the region has capacity for another write. The
   * callback may {@link #begin} one.
   */
  void awaitCapacity(GroupId region, Runnable callback) {
    window(region).waiting.add(callback);
  }

  /**
   * Begins the windows of the regions that a new topology has and the former one had not, with the
   * writes to the regions that had their keys. To be called before a write is sent by the new
   * topology.
   */
  void regionsChanged(List<RegionDescriptor> former, List<RegionDescriptor> present) {
    Set<GroupId> known = former.stream().map(RegionDescriptor::id).collect(Collectors.toSet());
    for (RegionDescriptor region : present) {
      if (!known.contains(region.id())) {
        List<RegionWindow> origins =
            former.stream()
                .filter(before -> !before.range().intersect(region.range()).isEmpty())
                .map(before -> windows.get(before.id()))
                .filter(Objects::nonNull)
                .toList();
        if (!origins.isEmpty()) {
          window(region.id()).begin(origins);
        }
      }
    }
  }

  /** Removes a callback that has not run. */
  void stopWaiting(Runnable callback) {
    windows.values().forEach(window -> window.waiting.remove(callback));
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
   * Returns the request id with which an outstanding write is sent to a region now. The region is
   * usually the one for which the write began. If the topology has changed since, the write counts
   * in the window of the new region. If that region began by a split, its floor is not above the
   * number; otherwise it may have risen above it, and the region responds that the outcome is
   * unknown.
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
    return new RequestId(client, sequence, Math.min(sequence, window.sinceFloor.peek().sequence));
  }

  private void settle(RegionWindow window) {
    window.dropEnded();
    while (window.hasCapacity() && !window.waiting.isEmpty()) {
      Runnable next = window.waiting.iterator().next();
      window.waiting.remove(next);
      next.run();
    }
  }

  private RegionWindow window(GroupId region) {
    return windows.computeIfAbsent(region, any -> new RegionWindow());
  }
}
