package io.quorate.storage.context;

/** How much of a processor and of the disk a thread takes whose work can wait: a twentieth. */
public final class BackgroundShare {
  private static final int PAUSES = 19;

  private BackgroundShare() {}

  /**
   * The nanoseconds that the thread pauses after work.
   *
   * @param startedNanos when the work began, by {@link System#nanoTime}
   */
  public static long pauseAfter(long startedNanos) {
    return PAUSES * (System.nanoTime() - startedNanos);
  }
}
