package io.quorate.storage;

import io.quorate.consensus.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What one region remembers of one client: the answers it may still ask for again. One thread at a
 * time.
 */
final class Session {
  /** Stands for an answer that is kept elsewhere, in a row of its own. No answer is empty. */
  static final byte[] IN_OWN_ROW = new byte[0];

  private final TreeMap<Long, byte[]> answers = new TreeMap<>();
  private long floor;
  private Position lastActive;

  Session(long floor, Position lastActive) {
    this.floor = floor;
    this.lastActive = lastActive;
  }

  /** The lowest sequence whose answer would still be known. */
  long floor() {
    return floor;
  }

  Position lastActive() {
    return lastActive;
  }

  void touch(Position position) {
    lastActive = position;
  }

  /** The answers kept, by sequence; {@link #IN_OWN_ROW} itself for those kept elsewhere. */
  NavigableMap<Long, byte[]> answers() {
    return answers;
  }

  /**
   * Raises the floor, never lowers it, and forgets the answers below.
   *
   * @return sequences whose answers have rows of their own, which are needed no more
   */
  List<Long> raiseFloor(long to) {
    if (to <= floor) {
      return List.of();
    }
    floor = to;
    NavigableMap<Long, byte[]> below = answers.headMap(to, false);
    List<Long> ownRows = ownRows(below);
    below.clear();
    return ownRows;
  }

  /** The sequences whose answers have rows of their own. */
  List<Long> ownRows() {
    return ownRows(answers);
  }

  private static List<Long> ownRows(Map<Long, byte[]> answers) {
    List<Long> sequences = new ArrayList<>(0);
    answers.forEach(
        (sequence, answer) -> {
          if (answer == IN_OWN_ROW) {
            sequences.add(sequence);
          }
        });
    return sequences;
  }
}
