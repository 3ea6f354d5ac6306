package io.quorate.storage.rocks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Owns native objects and closes them in reverse order of opening. One thread at a time, except
 * {@link #child}.
 *
 * <p>A scope may have children, which must be closed before it, such as the iterators of a
 * database. It refuses to close while a child is open, since closing a database under an iterator
 * crashes the process.
 */
public final class NativeScope implements AutoCloseable {
  private record Owned(String kind, Runnable close) {}

  private final String name;
  private final Consumer<NativeScope> whenClosed;
  private final Deque<Owned> owned = new ArrayDeque<>();
  private final Set<NativeScope> children = ConcurrentHashMap.newKeySet();

  /**
   * @param name identifies the scope in error messages
   */
  NativeScope(String name) {
    this(name, scope -> {});
  }

  private NativeScope(String name, Consumer<NativeScope> whenClosed) {
    this.name = name;
    this.whenClosed = whenClosed;
  }

  /** A scope that must be closed before this one. Any thread. */
  public NativeScope child(String childName) {
    NativeScope child = new NativeScope(childName, children::remove);
    children.add(child);
    return child;
  }

  /** Takes ownership of an object that was just created. */
  <T extends org.rocksdb.AbstractNativeReference> T own(T object) {
    return own(object, T::close);
  }

  /** Takes ownership of an object with its own way of closing. */
  <T> T own(T object, Consumer<? super T> close) {
    String kind = object.getClass().getSimpleName();
    NativeLeakDetector.opened(kind);
    owned.push(new Owned(kind, () -> close.accept(object)));
    return object;
  }

  /**
   * Frees all owned objects. A second call does nothing.
   *
   * @throws IllegalStateException if a child is open; nothing is freed then
   */
  @Override
  public void close() {
    if (!children.isEmpty()) {
      Set<String> names = new TreeSet<>();
      children.forEach(child -> names.add(child.name));
      throw new IllegalStateException(
          "Cannot close the native objects of " + name + " while these are open: " + names);
    }
    while (!owned.isEmpty()) {
      Owned next = owned.pop();
      next.close().run();
      NativeLeakDetector.closed(next.kind());
    }
    whenClosed.accept(this);
  }
}
