package io.quorate.rabia.core;

/**
 * The settings of a replica. Safety depends on {@code alpha} only.
 *
 * @param policy how the proposal of a slot is chosen
 * @param alpha how far beyond the executed slot replicas may send messages, and how many slots
 *     after its decision a configuration starts (S2). <b>It must be the same at every replica of a
 *     group, and must never change.</b>
 */
public record Settings(Policy policy, int alpha, Timing timing, Bounds bounds) {

  /** How the proposal of a slot is chosen. */
  public enum Policy {
    /** Slots are owned round-robin, and many run at once. */
    OWNED,
    /**
     * The chooser of the paper, as a baseline: one queue ordered by time, one slot at a time, three
     * rounds.
     */
    PUBLISHED
  }

  public static final Settings DEFAULT =
      new Settings(Policy.OWNED, 1024, Timing.DEFAULT, Bounds.DEFAULT);

  public Settings {
    if (alpha < 8) {
      throw new IllegalArgumentException("alpha is at least 8: " + alpha);
    }
  }

  /**
   * Times in nanoseconds of the replica's own monotonic clock.
   *
   * @param stateHoldMin the minimum time for which a slot that lacks only the last proposals waits
   *     for them (O6); between minimum and maximum the wait follows measured delays
   * @param stateHoldMax the maximum of that time
   * @param contentWait how long a slot waits for its content after another replica has proposed ⊥
   *     in it, and how long an idle replica waits before it joins a slot (O5, D3)
   * @param suspicion an owner that has resolved no slot for this time is suspected, and ⊥ is
   *     proposed in its open slots (O5); up to sixteen times as long for an owner that was recently
   *     suspected wrongly
   * @param retransmission the time without a decision after which messages are resent (T1), longer
   *     where decisions were measured to take longer; it doubles with every resend, up to sixteen
   *     times
   * @param status the interval at which replicas report their progress (T3); up to sixteen times
   *     longer while nothing is executed. No reports are sent while all members have executed the
   *     same slots.
   */
  public record Timing(
      long stateHoldMin,
      long stateHoldMax,
      long contentWait,
      long suspicion,
      long retransmission,
      long status) {
    public static final Timing DEFAULT =
        new Timing(200_000, 20_000_000, 2_000_000, 20_000_000, 50_000_000, 100_000_000);
  }

  /**
   * Limits of what a replica holds in memory. The slots between executed and executed + alpha are
   * additional, without bodies.
   *
   * @param inFlight maximum number of own batches without a decision, beyond which commands wait
   *     (O6)
   * @param inFlightBytes the same in bytes; one batch may exceed it
   * @param waitingCommands maximum number of commands that wait for a batch, beyond which commands
   *     are refused
   * @param waitingBytes the same in bytes
   * @param batchCommands maximum number of commands in one batch
   * @param batchBytes maximum size of one batch in bytes; a longer command is a batch of its own
   * @param bodyBytes maximum size in bytes of the bodies of slots not executed, of all owners.
   *     Beyond it only the body of the first slot not executed is stored; the others are fetched
   *     later.
   * @param tailSlots maximum number of executed slots retained for replicas that are behind
   * @param tailBytes the same in bytes of bodies
   * @param chunk minimum number of own slots that are reserved at a time (O4); up to 32 times as
   *     many where they are used up within a second
   * @param resentSlots maximum number of the lowest undecided slots whose messages are resent at a
   *     time (T1)
   * @param fetchedSlots maximum number of decisions in one response to a fetch
   * @param fetchedBytes the same in bytes; one body may exceed it
   */
  public record Bounds(
      int inFlight,
      long inFlightBytes,
      int waitingCommands,
      long waitingBytes,
      int batchCommands,
      int batchBytes,
      long bodyBytes,
      int tailSlots,
      long tailBytes,
      int chunk,
      int resentSlots,
      int fetchedSlots,
      int fetchedBytes) {
    public static final Bounds DEFAULT =
        new Bounds(
            64, 16 << 20, 16_384, 64 << 20, 4_096, 1 << 20, 256 << 20, 8_192, 64 << 20, 256, 32,
            256, 1 << 20);

    /** A builder that starts with these bounds. */
    public Builder toBuilder() {
      return new Builder(this);
    }

    /** Builds {@link Bounds}. */
    public static final class Builder {
      private int inFlight;
      private long inFlightBytes;
      private int waitingCommands;
      private long waitingBytes;
      private int batchCommands;
      private int batchBytes;
      private long bodyBytes;
      private int tailSlots;
      private long tailBytes;
      private int chunk;
      private int resentSlots;
      private int fetchedSlots;
      private int fetchedBytes;

      private Builder(Bounds from) {
        inFlight = from.inFlight;
        inFlightBytes = from.inFlightBytes;
        waitingCommands = from.waitingCommands;
        waitingBytes = from.waitingBytes;
        batchCommands = from.batchCommands;
        batchBytes = from.batchBytes;
        bodyBytes = from.bodyBytes;
        tailSlots = from.tailSlots;
        tailBytes = from.tailBytes;
        chunk = from.chunk;
        resentSlots = from.resentSlots;
        fetchedSlots = from.fetchedSlots;
        fetchedBytes = from.fetchedBytes;
      }

      public Builder inFlight(int value) {
        inFlight = value;
        return this;
      }

      public Builder inFlightBytes(long value) {
        inFlightBytes = value;
        return this;
      }

      public Builder waitingCommands(int value) {
        waitingCommands = value;
        return this;
      }

      public Builder waitingBytes(long value) {
        waitingBytes = value;
        return this;
      }

      public Builder batchCommands(int value) {
        batchCommands = value;
        return this;
      }

      public Builder batchBytes(int value) {
        batchBytes = value;
        return this;
      }

      public Builder bodyBytes(long value) {
        bodyBytes = value;
        return this;
      }

      public Builder tailSlots(int value) {
        tailSlots = value;
        return this;
      }

      public Builder tailBytes(long value) {
        tailBytes = value;
        return this;
      }

      public Builder chunk(int value) {
        chunk = value;
        return this;
      }

      public Builder resentSlots(int value) {
        resentSlots = value;
        return this;
      }

      public Builder fetchedSlots(int value) {
        fetchedSlots = value;
        return this;
      }

      public Builder fetchedBytes(int value) {
        fetchedBytes = value;
        return this;
      }

      public Bounds build() {
        return new Bounds(
            inFlight,
            inFlightBytes,
            waitingCommands,
            waitingBytes,
            batchCommands,
            batchBytes,
            bodyBytes,
            tailSlots,
            tailBytes,
            chunk,
            resentSlots,
            fetchedSlots,
            fetchedBytes);
      }
    }
  }
}
