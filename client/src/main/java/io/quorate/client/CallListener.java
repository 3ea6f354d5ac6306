package io.quorate.client;

/**
 * Is told when calls begin and end: for metrics, traces, or a log of slow calls. {@link
 * ClientMetrics} and {@link ClientObservations} are implementations for Micrometer. A listener of
 * ends alone is a lambda:
 *
 * <pre>{@code
 * ClientOptions.builder(addresses).listener(start -> report -> log(report)).build();
 * }</pre>
 *
 * <p>A call with an argument that is null, or text that cannot be encoded, does not begin. What a
 * method of a listener or of a handle throws, an {@link Error} too, is logged, once a minute at
 * most, and does not affect the call. What the codecs of a map do is no part of the call.
 */
@FunctionalInterface
public interface CallListener {
  /**
   * Called when a call begins, on the thread of the caller, whose context, such as the current
   * span, is that of the call. Must not block.
   *
   * @return receives the rest of the call
   */
  Handle begin(CallStart call);

  /** Receives the rest of one call. Its methods must not block, and are not called concurrently. */
  @FunctionalInterface
  interface Handle {
    /**
     * Called once when the call no longer waits for admission, which bounds what is in flight; a
     * call that is rejected has no admission, and one that neither reads nor writes keys has it at
     * its begin. On the client's thread, or on that of the caller.
     */
    default void admitted() {}

    /**
     * Called once when the call has ended, before its future completes. On the client's thread, or
     * on that of the caller; if the client is closed, perhaps on another one.
     */
    void end(CallReport call);
  }
}
