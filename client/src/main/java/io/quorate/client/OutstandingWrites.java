package io.quorate.client;

import io.quorate.consensus.GroupId;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestTag;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Numbers the writes of one client and knows, region by region, the lowest number that may still be
 * sent again. Used by one thread.
 *
 * <p>A region remembers only so many answers above that number ({@link RequestTag#WINDOW}). While
 * one write to it is stuck, no more than that many others are sent past it; other regions are not
 * held up.
 */
final class OutstandingWrites {

  /** A write that has a number. */
  private static final class Numbered {
    final long sequence;
    Lane lane;
    boolean ended;

    Numbered(long sequence, Lane lane) {
      this.sequence = sequence;
      this.lane = lane;
    }
  }

  /** The writes to one region, from the first that has not ended. */
  private static final class Lane {
    final ArrayDeque<Numbered> sinceFloor = new ArrayDeque<>();
    final Set<Runnable> waiting = new LinkedHashSet<>();

    boolean hasRoom() {
      return sinceFloor.size() < RequestTag.WINDOW;
    }

    void dropEnded() {
      while (!sinceFloor.isEmpty() && (sinceFloor.peek().ended || sinceFloor.peek().lane != this)) {
        sinceFloor.remove();
      }
    }
  }

  private final ClientId client;
  private final Map<GroupId, Lane> lanes = new HashMap<>();
  private final Map<Long, Numbered> outstanding = new HashMap<>();
  private long last;

  OutstandingWrites(ClientId client) {
    this.client = client;
  }

  /** The number of a new write to a region, which is outstanding from now on, if there is room. */
  OptionalLong begin(GroupId region) {
    Lane lane = lane(region);
    if (!lane.hasRoom()) {
      return OptionalLong.empty();
    }
    Numbered write = new Numbered(++last, lane);
    outstanding.put(write.sequence, write);
    lane.sinceFloor.add(write);
    return OptionalLong.of(write.sequence);
  }

  /**
   * Calls back once, when there is room for another write to the region. The callback may {@link
   * #begin} one.
   */
  void awaitRoom(GroupId region, Runnable callback) {
    lane(region).waiting.add(callback);
  }

  /** Does not call back after all. */
  void stopWaiting(Runnable callback) {
    lanes.values().forEach(lane -> lane.waiting.remove(callback));
  }

  /** The write has its answer, or was given up: it is not sent again. */
  void end(long sequence) {
    Numbered write = outstanding.remove(sequence);
    if (write != null) {
      write.ended = true;
      settle(write.lane);
    }
  }

  /**
   * The tag with which an outstanding write is sent to a region now. Usually that is the region it
   * was begun for. If the map has changed since, it counts there from now on; a floor that has
   * risen beyond it meanwhile makes the region answer that it does not know.
   */
  RequestTag tag(long sequence, GroupId region) {
    Numbered write = outstanding.get(sequence);
    Lane lane = lane(region);
    if (write.lane != lane) {
      Lane former = write.lane;
      write.lane = lane;
      lane.sinceFloor.add(write);
      settle(former);
    }
    return new RequestTag(client, sequence, Math.min(sequence, lane.sinceFloor.peek().sequence));
  }

  private void settle(Lane lane) {
    lane.dropEnded();
    while (lane.hasRoom() && !lane.waiting.isEmpty()) {
      Runnable next = lane.waiting.iterator().next();
      lane.waiting.remove(next);
      next.run();
    }
  }

  private Lane lane(GroupId region) {
    return lanes.computeIfAbsent(region, any -> new Lane());
  }
}
