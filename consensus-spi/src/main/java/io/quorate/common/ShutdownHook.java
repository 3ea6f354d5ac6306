package io.quorate.common;

/** An action that runs when the JVM shuts down, while it is registered. Thread-safe. */
public final class ShutdownHook implements AutoCloseable {
  private final Thread thread;

  /**
   * Creates the hook; it is not registered.
   *
   * @param threadName the name of the thread that runs the action
   * @param action may call {@link #close}
   */
  public ShutdownHook(String threadName, Runnable action) {
    thread = new Thread(action, threadName);
  }

  /**
   * Registers the action. Called once.
   *
   * @throws IllegalStateException if the JVM is shutting down
   */
  public void register() {
    Runtime.getRuntime().addShutdownHook(thread);
  }

  /**
   * Removes the action, so that it no longer runs. Has no effect if it is not registered, or if the
   * JVM is shutting down: then the action runs.
   */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
    } catch (IllegalStateException e) {
      // The JVM is shutting down.
    }
  }
}
