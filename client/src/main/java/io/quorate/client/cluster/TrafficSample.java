package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import java.time.Duration;
import java.util.Optional;

/**
 * The requests that clients sent to one node in some seconds. A quorum read counts at each replica
 * that replies to it.
 *
 * @param age the time from the end of the sample to the response that contained it
 * @param span the time that the sample covers
 * @param reads the number of reads that succeeded
 * @param writes the number of writes that succeeded
 * @param failures the number of reads and writes that failed, except those that were redirected
 * @param readLatency the times of the reads that succeeded; empty without one
 * @param writeLatency the times of the writes that succeeded; empty without one
 */
public record TrafficSample(
    Duration age,
    Duration span,
    long reads,
    long writes,
    long failures,
    Optional<Latency> readLatency,
    Optional<Latency> writeLatency) {
  public TrafficSample {
    Nulls.refuse(age, "age");
    Nulls.refuse(span, "span");
    Nulls.refuse(readLatency, "readLatency");
    Nulls.refuse(writeLatency, "writeLatency");
  }

  /**
   * The time from a request to its response, in microseconds.
   *
   * @param p99Micros 99 % of the requests took at most so long
   */
  public record Latency(long meanMicros, long p99Micros) {}
}
