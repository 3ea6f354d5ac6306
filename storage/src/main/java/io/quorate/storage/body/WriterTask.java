package io.quorate.storage.body;

import java.io.IOException;
import java.util.List;

/** Work for the thread of a {@link BodyWriter}, in the order in which it was queued. */
interface WriterTask {
  /**
   * Appends the records of the task; what is left to do afterwards is run when they are durable.
   */
  void append(List<Runnable> whenDurable) throws IOException;

  /** Called instead of what was left to do. */
  void fail(IOException failure);

  long bytes();

  /** Whether the index has the former state of a body until the record of the task is durable. */
  boolean isDeferred();

  /**
   * Whether the task repeats the state of a body that the index has. It must not follow a deferred
   * task of that body, the effect of which is not in the index yet.
   */
  boolean isCopy();

  /** Whether the effect may be lost in a power failure. */
  boolean isLazy();

  /** A task without content. */
  abstract class Small implements WriterTask {
    private final boolean isDurable;

    /**
     * @param isDurable whether the effect waits for an fsync
     */
    Small(boolean isDurable) {
      this.isDurable = isDurable;
    }

    @Override
    public long bytes() {
      return 0;
    }

    @Override
    public boolean isDeferred() {
      return isDurable;
    }

    @Override
    public boolean isLazy() {
      return !isDurable;
    }

    @Override
    public boolean isCopy() {
      return false;
    }
  }
}
