package io.quorate.torture.testbed.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * An order to crash, stall or slow down a node at its failpoints. Sent to the node as a file of one
 * line.
 */
public sealed interface FailpointOrder {

  /** Executes an order: one method for each. */
  interface Visitor {
    void crashAtAny(CrashAtAny order);

    void crashAt(CrashAt order);

    void stallAt(StallAt order);

    void delayAt(DelayAt order);

    void crashBetween(CrashBetween order);
  }

  /**
   * The process ends, as by {@code kill -9}, the next time it reaches one failpoint.
   *
   * @param seed selects one of all failpoints of the node
   */
  record CrashAtAny(long seed) implements FailpointOrder {
    @Override
    public void accept(Visitor visitor) {
      visitor.crashAtAny(this);
    }

    @Override
    public String line() {
      return "crash-at-any " + seed;
    }
  }

  /** The process ends, likewise, the next time it reaches this failpoint. */
  record CrashAt(String failpoint) implements FailpointOrder {
    @Override
    public void accept(Visitor visitor) {
      visitor.crashAt(this);
    }

    @Override
    public String line() {
      return "crash-at " + failpoint;
    }
  }

  /**
   * Threads that reach a failpoint whose name has the suffix wait there until the order is
   * withdrawn.
   */
  record StallAt(String nameSuffix) implements FailpointOrder {
    @Override
    public void accept(Visitor visitor) {
      visitor.stallAt(this);
    }

    @Override
    public String line() {
      return "stall-at " + nameSuffix;
    }
  }

  /**
   * Threads that reach one of the failpoints pass it one after the other, each after this time.
   *
   * @param failpoints the names
   * @param micros the time in microseconds
   */
  record DelayAt(List<String> failpoints, long micros) implements FailpointOrder {
    public DelayAt {
      failpoints = List.copyOf(failpoints);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.delayAt(this);
    }

    @Override
    public String line() {
      return "delay-at " + String.join(",", failpoints) + " " + micros;
    }
  }

  /**
   * A thread that reaches the first failpoint waits there until another thread has reached the
   * second one; then the process ends.
   */
  record CrashBetween(String first, String second) implements FailpointOrder {
    @Override
    public void accept(Visitor visitor) {
      visitor.crashBetween(this);
    }

    @Override
    public String line() {
      return "crash-between " + first + " " + second;
    }
  }

  /** Calls the method of the visitor for this order. */
  void accept(Visitor visitor);

  /** The content of the file. */
  String line();

  private static FailpointOrder parse(String line) {
    String[] words = line.strip().split(" ");
    return switch (words[0]) {
      case "crash-at-any" -> new CrashAtAny(Long.parseLong(words[1]));
      case "crash-at" -> new CrashAt(words[1]);
      case "stall-at" -> new StallAt(words[1]);
      case "delay-at" -> new DelayAt(List.of(words[1].split(",")), Long.parseLong(words[2]));
      case "crash-between" -> new CrashBetween(words[1], words[2]);
      default -> throw new IllegalArgumentException("Not an order: " + line);
    };
  }

  /** Writes the order to the file that the node polls. Replaces the present order. */
  default void send(Path file) throws IOException {
    // Atomic: the node must not read a part of the line.
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(draft, line());
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Withdraws the order of the node, if it has one. */
  static void withdraw(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /** Reads the present order; empty if there is none. */
  static Optional<FailpointOrder> read(Path file) throws IOException {
    try {
      return Optional.of(parse(Files.readString(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
