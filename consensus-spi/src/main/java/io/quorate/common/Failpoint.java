package io.quorate.common;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A named point in the code at which a test may crash the process, block the thread or fail the
 * operation. A failpoint is off unless a test switches it on; while it is off, passing it costs one
 * read of a volatile field. Production code never switches one on.
 *
 * <p>Thread-safe. A name has the form {@code module.part.moment}, for example {@code
 * storage.apply.before-write}. There is one failpoint for each name.
 */
public final class Failpoint {
  /** The fault at a failpoint that is on. Runs on the thread that reached the failpoint. */
  @FunctionalInterface
  public interface Action {
    /**
     * Injects the fault. May block.
     *
     * @param subject the object of the operation, such as a region, for selection and for messages
     * @throws IOException if the operation is to fail
     */
    void run(Failpoint failpoint, Object subject) throws IOException;
  }

  private static final ConcurrentMap<String, Failpoint> BY_NAME = new ConcurrentHashMap<>();

  private final String name;
  private volatile Action action;

  private Failpoint(String name) {
    this.name = name;
  }

  /** The failpoint of this name; created by the first call. For a constant of the class. */
  public static Failpoint named(String name) {
    return BY_NAME.computeIfAbsent(name, Failpoint::new);
  }

  /** All failpoints of the classes that are loaded now, in the order of their names. */
  public static Collection<Failpoint> known() {
    TreeSet<Failpoint> sorted = new TreeSet<>(Comparator.comparing(Failpoint::name));
    sorted.addAll(BY_NAME.values());
    return Collections.unmodifiableSortedSet(sorted);
  }

  public String name() {
    return name;
  }

  /**
   * Passes the failpoint in an operation that can fail.
   *
   * @param subject the object of the operation, passed to the action
   * @throws IOException if the action lets the operation fail
   */
  public void reached(Object subject) throws IOException {
    Action current = action;
    if (current != null) {
      current.run(this, subject);
    }
  }

  /**
   * Passes the failpoint in an operation that cannot fail.
   *
   * @throws UncheckedIOException if the action lets the operation fail, which is a bug of the test
   */
  public void passed(Object subject) {
    try {
      reached(subject);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Switches the failpoint on, or replaces its action. */
  public void on(Action replacement) {
    action = replacement;
  }

  /** Switches the failpoint off. Actions that are running continue. */
  public void off() {
    action = null;
  }

  @Override
  public String toString() {
    return name;
  }
}
