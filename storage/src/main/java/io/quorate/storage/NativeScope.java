package io.quorate.storage;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Owns native objects and closes them, the last opened first. One thread at a time, except {@link
 * #child}.
 *
 * <p>A scope may have children: objects that must be closed before its own, such as the iterators
 * of a database. It refuses to close while a child is open, since closing a database under an
 * iterator ends the process.
 */
final class NativeScope implements AutoCloseable {
  private record Owned(String kind, Runnable close) {}

  private final String name;
  private final Consumer<NativeScope> whenClosed;
  private final Deque<Owned> owned = new ArrayDeque<>();
  private final Set<NativeScope> children = ConcurrentHashMap.newKeySet();

  /**
   * @param name says in an error message what was left open
   */
  NativeScope(String name) {
    this(name, scope -> {});
  }

  private NativeScope(String name, Consumer<NativeScope> whenClosed) {
    this.name = name;
    this.whenClosed = whenClosed;
  }

  /** A scope that must be closed before this one. Any thread. */
  NativeScope child(String childName) {
    NativeScope child = new NativeScope(childName, children::remove);
    children.add(child);
    return child;
  }

  /** Takes charge of an object that was just made. */
  <T extends org.rocksdb.AbstractNativeReference> T own(T object) {
    return own(object, T::close);
  }

  /** Takes charge of an object that is freed in a way of its own. */
  <T> T own(T object, Consumer<? super T> close) {
    String kind = object.getClass().getSimpleName();
    NativeLedger.opened(kind);
    owned.push(new Owned(kind, () -> close.accept(object)));
    return object;
  }

  /**
   * Frees everything owned. A second call does nothing.
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
      NativeLedger.closed(next.kind());
    }
    whenClosed.accept(this);
  }
}
