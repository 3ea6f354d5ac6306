package io.quorate.server.verification.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** What is to happen at failpoints of a node. Sent to it as a file with one line. */
public sealed interface PointOrder {
  /**
   * The process ends, as by {@code kill -9}, when it next reaches one of the points there are.
   *
   * @param seed which one
   */
  record CrashAtAny(long seed) implements PointOrder {
    @Override
    public String line() {
      return "crash-at-any " + seed;
    }
  }

  /** Threads that reach a point whose name ends so wait there until the order is withdrawn. */
  record StallAt(String nameEnd) implements PointOrder {
    @Override
    public String line() {
      return "stall-at " + nameEnd;
    }
  }

  /**
   * A thread that reaches one point waits there until another thread has reached the second one;
   * then the process ends.
   */
  record CrashBetween(String first, String second) implements PointOrder {
    @Override
    public String line() {
      return "crash-between " + first + " " + second;
    }
  }

  String line();

  private static PointOrder parse(String line) {
    String[] words = line.strip().split(" ");
    return switch (words[0]) {
      case "crash-at-any" -> new CrashAtAny(Long.parseLong(words[1]));
      case "stall-at" -> new StallAt(words[1]);
      case "crash-between" -> new CrashBetween(words[1], words[2]);
      default -> throw new IllegalArgumentException("Not an order: " + line);
    };
  }

  /** Gives the order to the node that looks for it in this file. */
  default void send(Path file) throws IOException {
    // Read as a whole or not at all.
    Path whole = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(whole, line());
    Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Takes back whatever order the node has. */
  static void withdraw(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /** The order that stands now. */
  static Optional<PointOrder> read(Path file) throws IOException {
    try {
      return Optional.of(parse(Files.readString(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
