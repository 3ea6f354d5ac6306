package io.quorate.benchmarks.costs;

import java.time.Duration;

/**
 * The costs of calls.
 *
 * @param processorMicros CPU time of all nodes together per call, in microseconds
 * @param clientMicros CPU time of the process of the clients per call, in microseconds
 * @param switches context switches of all nodes together per call, voluntary and involuntary
 * @param clientSwitches context switches of the process of the clients per call
 * @param syncs fsyncs of the consensus log per call at a node, on average over the nodes
 * @param allocatedBytes bytes allocated on the heap per call at a node, on average over the nodes
 * @param writtenBytes bytes written to disk per byte of keys and values at a node, on average over
 *     the nodes, with what other programs write to the same disks; 0 if it was not measured, as
 *     while a short load is in the write buffers only
 */
record CallCosts(
    double processorMicros,
    double clientMicros,
    double switches,
    double clientSwitches,
    double syncs,
    double allocatedBytes,
    double writtenBytes) {
  private static final double NANOS_PER_MICRO = 1e3;

  /**
   * Computes the costs from the counters before and after. Without side effects.
   *
   * @param calls number of calls in between, at least 1
   * @param userBytes bytes of the keys and values written by them; 0 for no figure of writes
   * @param nodes number of nodes, each of which has a replica
   */
  static CallCosts of(
      NodeCounters before, NodeCounters after, long calls, long userBytes, int nodes) {
    double callsOfNodes = (double) calls * nodes;
    double written = after.writtenBytes() - before.writtenBytes();
    return new CallCosts(
        micros(before.processorTime(), after.processorTime()) / calls,
        micros(before.clientTime(), after.clientTime()) / calls,
        (double) after.switches().since(before.switches()) / calls,
        (double) after.clientSwitches().since(before.clientSwitches()) / calls,
        (after.syncs() - before.syncs()) / callsOfNodes,
        (after.allocatedBytes() - before.allocatedBytes()) / callsOfNodes,
        userBytes == 0 ? 0 : written / userBytes / nodes);
  }

  private static double micros(Duration before, Duration after) {
    return after.minus(before).toNanos() / NANOS_PER_MICRO;
  }
}
