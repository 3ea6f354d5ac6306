package io.quorate.benchmarks.kv;

import java.util.List;

/**
 * What was measured while all keys were written once.
 *
 * @param stats the latencies and the throughput
 * @param throughputBySecond completed writes in each whole second from the start
 */
public record Load(WorkloadStats stats, List<Double> throughputBySecond) {
  public Load {
    throughputBySecond = List.copyOf(throughputBySecond);
  }
}
