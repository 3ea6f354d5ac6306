package io.quorate.storage.context;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Admits what changes the state of a region on this node, one at a time: its applier, an install, a
 * removal, and another region that absorbs it and replaces its rows. Any thread; the one that
 * enters leaves.
 */
public final class ChangeGate {
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean absorbed;

  /** Enters if nothing else changes the state. Does not block. */
  public boolean tryEnter() {
    return lock.tryLock();
  }

  /** Enters when nothing else changes the state. Blocks. */
  public void enter() {
    lock.lock();
  }

  public void leave() {
    lock.unlock();
  }

  /** Called by another region, which has entered and is about to replace the rows. */
  void absorb() {
    absorbed = true;
  }

  /**
   * Whether another region has the rows, or is about to have them. The region of this gate has no
   * keys any more, and must not change anything.
   */
  public boolean isAbsorbed() {
    return absorbed;
  }
}
