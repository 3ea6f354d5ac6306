package io.quorate.failpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A named moment in the life of the code at which a test may crash the process, stall the thread or
 * fail what is being done. Off unless a test switches it on; then passing it costs one read of a
 * field. Nothing in the product switches one on.
 *
 * <p>Any thread. Names are of the form {@code module.part.moment}, such as {@code
 * storage.apply.before-write}; two points of one name are one point.
 */
public final class Failpoint {
  /** What happens at a point that is on. Runs on the thread that reached it, which it may block. */
  @FunctionalInterface
  public interface Action {
    /**
     * @param subject what the code is working on, such as a region, for choosing and for messages
     * @throws IOException if what is being done is to fail
     */
    void run(Failpoint at, Object subject) throws IOException;
  }

  private static final ConcurrentMap<String, Failpoint> KNOWN = new ConcurrentHashMap<>();

  private final String name;
  private volatile Action action;

  private Failpoint(String name) {
    this.name = name;
  }

  /** The point of this name, for a constant of the class that has it. */
  public static Failpoint named(String name) {
    return KNOWN.computeIfAbsent(name, Failpoint::new);
  }

  /** Every point of the classes that are loaded now, by name. */
  public static Collection<Failpoint> known() {
    TreeSet<Failpoint> sorted = new TreeSet<>(Comparator.comparing(Failpoint::name));
    sorted.addAll(KNOWN.values());
    return Collections.unmodifiableSortedSet(sorted);
  }

  public String name() {
    return name;
  }

  /**
   * Says that the code is here.
   *
   * @throws IOException if a test wants it to fail
   */
  public void reached(Object subject) throws IOException {
    Action on = action;
    if (on != null) {
      on.run(this, subject);
    }
  }

  /** Says that the code is here, where it cannot fail. A test that wants it to has a defect. */
  public void passed(Object subject) {
    try {
      reached(subject);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Switches the point on, in place of what it did before. */
  public void on(Action what) {
    action = what;
  }

  /** Switches the point off. Who is in the action at this moment finishes it. */
  public void off() {
    action = null;
  }

  @Override
  public String toString() {
    return name;
  }
}
