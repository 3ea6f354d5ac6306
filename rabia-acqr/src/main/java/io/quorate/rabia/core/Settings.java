package io.quorate.rabia.core;

/**
 * How a replica behaves; safety depends on none of it but {@code alpha}.
 *
 * @param policy what a slot proposes
 * @param alpha how far beyond the executed slot replicas may speak, and how many slots after its
 *     decision a configuration starts (S2). <b>The same at every replica of a group, for ever.</b>
 */
public record Settings(Policy policy, int alpha, Timing timing, Bounds bounds) {

  /** What a slot proposes. */
  public enum Policy {
    /** Slots owned round-robin, many at once. */
    OWNED,
    /** The paper's: one queue ordered by time, one slot at a time, three rounds. The baseline. */
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
   * Nanoseconds of the replica's own monotonic clock.
   *
   * @param stateHoldMin how long a slot that lacks only the last proposals waits for them at least
   *     (O6); between the two it follows what is measured
   * @param stateHoldMax and at most
   * @param contentWait how long a slot waits for its content after another replica gave it up, or
   *     an idle replica before it joins a slot (O5, D3)
   * @param suspicion an owner that has settled no slot for so long is suspected, and its open slots
   *     are given up (O5); up to sixteen times as long for one that was suspected wrongly of late
   * @param retransmission after which time without a decision messages are repeated (T1), or later
   *     where decisions were measured to take longer; again after twice as long, up to sixteen
   *     times
   * @param status how often replicas report how far they are (T3); up to sixteen times less often
   *     while nothing is executed, and never while all are level
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
   * What a replica holds in memory at most. Slots between executed and executed + alpha come on
   * top, without bodies.
   *
   * @param inFlight own batches without a decision, beyond which commands wait (W)
   * @param inFlightBytes the same in bytes; one batch may exceed it
   * @param waitingCommands commands that wait for a batch, beyond which they are refused
   * @param waitingBytes the same in bytes
   * @param batchCommands commands in one batch
   * @param batchBytes bytes in one batch; a longer command makes a batch alone
   * @param bodyBytes bodies of slots not executed, of all owners; beyond it only that of the first
   *     slot not executed is taken, the others come again
   * @param tailSlots executed slots kept for replicas that are behind
   * @param tailBytes the same in bytes of bodies
   * @param chunk how many own slots are reserved at a time, at least (O4); up to 32 times as many
   *     where they are used up within a second
   * @param resentSlots how many of the lowest undecided slots are repeated at a time (T1)
   * @param fetchedSlots how many decisions one answer to a fetch carries
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

    /** These bounds, to be changed in part. */
    public Builder toBuilder() {
      return new Builder(this);
    }

    /** Bounds in the making. */
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
