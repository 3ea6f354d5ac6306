package io.quorate.replication.log;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** One generation of a group, as a list of its operations and their numbers in the log. */
final class GroupModel implements GroupLogEvents {
  /** What an operation changes. */
  interface Effect {
    void on(State state);
  }

  /** The state after some operations. */
  static final class State {
    final TreeMap<Long, String> entries = new TreeMap<>();
    final List<Event> events = new ArrayList<>();
    final TreeMap<Integer, String> states = new TreeMap<>();
    long lowWater;
    long next;
  }

  /** An event that was appended. */
  record Event(long index, String text) {}

  private record Operation(long number, Effect effect) {}

  final GroupId id;
  final int generation;
  final boolean hasEntries;
  final State now = new State();
  private final List<Operation> operations = new ArrayList<>();
  volatile long acknowledged;
  volatile boolean isRemovalAcknowledged;
  boolean isRemovalRequested;

  /** What had been acknowledged when the image was taken from which the log is opened. */
  long acknowledgedBefore;

  boolean wasRemovalAcknowledged;

  GroupModel(GroupId id, int generation, boolean hasEntries) {
    this.id = id;
    this.generation = generation;
    this.hasEntries = hasEntries;
  }

  void done(long number, Effect effect) {
    operations.add(new Operation(number, effect));
    effect.on(now);
  }

  void appended(long number, Position at, byte[] bytes) {
    done(
        number,
        state -> {
          state.entries.put(at.index(), at + "=" + Arrays.hashCode(bytes));
          state.next = at.index() + 1;
        });
  }

  void happened(long number, int kind, Position at, byte[] bytes) {
    done(
        number,
        state ->
            state.events.add(
                new Event(at.index(), kind + "@" + at + "=" + Arrays.hashCode(bytes))));
  }

  void truncated(long number, long from) {
    done(
        number,
        state -> {
          state.entries.tailMap(from).clear();
          state.next = Math.min(state.next, from);
        });
  }

  void released(long number, long mark) {
    done(
        number,
        state -> {
          state.entries.headMap(mark).clear();
          state.events.removeIf(event -> event.index() < mark);
          state.lowWater = Math.max(state.lowWater, mark);
          state.next = Math.max(state.next, mark);
        });
  }

  void set(long number, int key, byte[] bytes) {
    done(number, state -> state.states.put(key, Arrays.toString(bytes)));
  }

  /** The number of the last operation. */
  long lastNumber() {
    return operations.isEmpty() ? 0 : operations.get(operations.size() - 1).number();
  }

  /** Goes back to what the log has. */
  GroupModel upTo(long number) {
    GroupModel prefix = new GroupModel(id, generation, hasEntries);
    for (Operation operation : operations) {
      if (operation.number() <= number) {
        prefix.done(operation.number(), operation.effect());
      }
    }
    prefix.acknowledged = number;
    return prefix;
  }

  /** What a log has, in the form of {@link #describe()}. */
  static String describe(GroupLog log) throws IOException {
    TreeMap<Integer, String> states = new TreeMap<>();
    for (int key = 0; key < 16; key++) {
      int each = key;
      log.state(key).ifPresent(bytes -> states.put(each, Arrays.toString(bytes)));
    }
    return "low-water "
        + log.lowWater()
        + " next "
        + log.nextIndex()
        + " states "
        + states
        + " entries "
        + SharedLogFixture.entries(log)
        + " events ";
  }

  String describe() {
    return "low-water "
        + now.lowWater
        + " next "
        + now.next
        + " states "
        + now.states
        + " entries "
        + List.copyOf(now.entries.values())
        + " events ";
  }

  /** Whether the log has what the model has. */
  String differenceTo(GroupLog log) throws IOException {
    if (hasEntries) {
      String found = describe(log);
      return found.equals(describe()) ? "" : "found " + found + "\n expected " + describe();
    }
    List<String> expected = now.events.stream().map(Event::text).toList();
    List<String> found = SharedLogFixture.events(log);
    return found.equals(expected) && log.lowWater() == now.lowWater
        ? ""
        : "found " + found + "\n expected " + expected;
  }

  @Override
  public void durable(long through) {
    acknowledged = through;
  }

  @Override
  public void failed(IOException cause) {
    // The log has crashed.
  }
}
