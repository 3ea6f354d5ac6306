package io.quorate.benchmarks.paper.experiment;

import io.quorate.torture.testbed.disk.NodeDevices;
import io.quorate.torture.testbed.process.CpuQuotas;
import java.time.Duration;
import java.util.Optional;

/**
 * The simulated network delay, the CPU limits, the outage of nodes, the faults and the latency of
 * their devices during a measurement.
 *
 * @param oneWayDelay between any two sites
 * @param corePercent CPU limit of each node, in percent of one core; {@link CpuQuotas#UNLIMITED}
 *     for no limit
 * @param corePercentOfSlow the same for one node that is not the leader
 * @param stoppedNodes number of nodes that do not run; the leader is not one of them
 * @param slowDevices number of nodes whose devices become slow
 * @param syncs the time of an fsync; counts with {@link DataMedium#DELAYED_SYNCS}
 * @param device speed of the device of each node; counts with {@link DataMedium#LIMITED_DEVICES},
 *     and is empty if the evaluation chooses them by other means
 */
public record Conditions(
    Duration oneWayDelay,
    int corePercent,
    int corePercentOfSlow,
    int stoppedNodes,
    int slowDevices,
    SyncLatency syncs,
    Optional<NodeDevices.Limit> device) {
  /** No delay and no limits. */
  public static final Conditions PLAIN = delay(Duration.ZERO);

  public static Conditions delay(Duration oneWay) {
    return new Conditions(
        oneWay, CpuQuotas.UNLIMITED, CpuQuotas.UNLIMITED, 0, 0, SyncLatency.NONE, Optional.empty());
  }

  /** The same CPU limit for each node. */
  public static Conditions cpuLimit(int corePercent) {
    return new Conditions(
        Duration.ZERO, corePercent, corePercent, 0, 0, SyncLatency.NONE, Optional.empty());
  }

  /** The same CPU limit for each node, except for a lower limit of one that is not the leader. */
  public static Conditions cpuLimit(int corePercent, int corePercentOfSlow) {
    return new Conditions(
        Duration.ZERO, corePercent, corePercentOfSlow, 0, 0, SyncLatency.NONE, Optional.empty());
  }

  /** Some nodes, without the leader, do not run; the others have no limits. */
  public static Conditions stopped(int nodes) {
    return new Conditions(
        Duration.ZERO,
        CpuQuotas.UNLIMITED,
        CpuQuotas.UNLIMITED,
        nodes,
        0,
        SyncLatency.NONE,
        Optional.empty());
  }

  /** The devices of some nodes become slow; nothing else is limited. */
  public static Conditions slowDevices(int nodes) {
    return new Conditions(
        Duration.ZERO,
        CpuQuotas.UNLIMITED,
        CpuQuotas.UNLIMITED,
        0,
        nodes,
        SyncLatency.NONE,
        Optional.empty());
  }

  /** Fsyncs of all nodes take this time. */
  public static Conditions syncs(SyncLatency latency) {
    return new Conditions(
        Duration.ZERO, CpuQuotas.UNLIMITED, CpuQuotas.UNLIMITED, 0, 0, latency, Optional.empty());
  }

  /** The device of each node has this speed. */
  public static Conditions device(NodeDevices.Limit limit) {
    return new Conditions(
        Duration.ZERO,
        CpuQuotas.UNLIMITED,
        CpuQuotas.UNLIMITED,
        0,
        0,
        SyncLatency.NONE,
        Optional.of(limit));
  }

  public boolean slowsDevices() {
    return slowDevices > 0;
  }

  public boolean stopsNodes() {
    return stoppedNodes > 0;
  }

  public boolean limitsCpu() {
    return corePercent != CpuQuotas.UNLIMITED;
  }

  /**
   * The CPU limit that all nodes have in common, in percent of one core; {@link
   * CpuQuotas#UNLIMITED} if there is none.
   */
  public int commonCorePercent() {
    return corePercent == corePercentOfSlow ? corePercent : CpuQuotas.UNLIMITED;
  }

  /** The description in the names of cases; empty if there is nothing to describe. */
  String text() {
    if (!oneWayDelay.isZero()) {
      return oneWayDelay.toMillis() + " ms between sites (in-process delay)";
    }
    if (stopsNodes()) {
      return stoppedNodes + (stoppedNodes == 1 ? " node" : " nodes") + " stopped";
    }
    if (slowsDevices()) {
      return slowDevices + (slowDevices == 1 ? " device becomes" : " devices become") + " slow";
    }
    if (device.isPresent()) {
      return "devices of " + device.get().writesPerSecond() + " writes/s";
    }
    if (!limitsCpu()) {
      return syncs.text();
    }
    String each = corePercent + " % of a core each";
    return corePercentOfSlow == corePercent
        ? each
        : each + " but one with " + corePercentOfSlow + " %";
  }
}
