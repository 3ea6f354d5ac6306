package io.quorate.server.rpc.request;

import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.TrafficSample;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the reads and writes of clients since the start, and their times. Counting allocates
 * nothing and does not block.
 */
public final class TrafficCounters {
  private final LatencyHistogram reads = new LatencyHistogram();
  private final LatencyHistogram writes = new LatencyHistogram();
  private final LongAdder failures = new LongAdder();

  /** The counters at one moment, roughly: requests that end meanwhile may be in some of them. */
  public static final class Snapshot {
    private final long[] reads;
    private final long[] writes;
    private final long failures;

    private Snapshot(long[] reads, long[] writes, long failures) {
      this.reads = reads;
      this.writes = writes;
      this.failures = failures;
    }

    /** What was counted since an earlier snapshot of the same counters, without any time. */
    public TrafficSample since(Snapshot earlier) {
      long[] newReads = minus(reads, earlier.reads);
      long[] newWrites = minus(writes, earlier.writes);
      TrafficSample.Builder sample =
          TrafficSample.newBuilder()
              .setReads(sum(newReads))
              .setWrites(sum(newWrites))
              .setFailures(failures - earlier.failures);
      LatencyHistogram.latency(newReads).ifPresent(sample::setReadLatency);
      LatencyHistogram.latency(newWrites).ifPresent(sample::setWriteLatency);
      return sample.build();
    }

    private static long[] minus(long[] later, long[] earlier) {
      long[] difference = new long[later.length];
      for (int i = 0; i < later.length; i++) {
        difference[i] = later[i] - earlier[i];
      }
      return difference;
    }

    private static long sum(long[] counts) {
      long sum = 0;
      for (long count : counts) {
        sum += count;
      }
      return sum;
    }
  }

  /** Any thread. */
  public Snapshot snapshot() {
    return new Snapshot(reads.counts(), writes.counts(), failures.sum());
  }

  /** Any thread. */
  void responded(Opcode opcode, Status status, long nanos) {
    if (!opcode.isOfRegion()) {
      return;
    }
    LatencyHistogram times = opcode == Opcode.WRITE ? writes : reads;
    switch (status) {
      case OK -> times.record(nanos);
      // The client sends the request again, to another node or by another topology.
      case NOT_LEADER, STALE_EPOCH -> {}
      default -> failures.increment();
    }
  }
}
