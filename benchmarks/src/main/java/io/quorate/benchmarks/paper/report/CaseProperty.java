package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Scale;
import java.util.function.ToDoubleFunction;

/**
 * A property in which the cases of an experiment differ.
 *
 * @param axis the horizontal axis of its plots
 * @param value of a case on the axis
 */
public record CaseProperty(Axis axis, ToDoubleFunction<Case> value) {
  private static final double PERCENT = 100;

  /** The percentage of calls that only read. */
  public static final CaseProperty READ_PERCENT =
      new CaseProperty(
          new Axis("reads, % of calls", Scale.LINEAR), each -> each.load().readRatio() * PERCENT);

  /** The delay between sites, one way. */
  public static final CaseProperty DELAY =
      new CaseProperty(
          new Axis("delay between sites, ms one way", Scale.LINEAR),
          each -> each.oneWayDelay().toMillis());

  /** The length of the values. */
  public static final CaseProperty VALUE_BYTES =
      new CaseProperty(
          new Axis("length of values, bytes", Scale.LOGARITHMIC), each -> each.load().valueBytes());

  /** The number of nodes that run. */
  public static final CaseProperty HEALTHY_NODES =
      new CaseProperty(
          new Axis("healthy nodes", Scale.LINEAR),
          each -> each.replicas() - each.conditions().stoppedNodes());

  /** The rate of the calls in an open loop, relative to the throughput in a closed loop. */
  public static final CaseProperty OFFERED =
      new CaseProperty(
          new Axis("offered, of the baseline's throughput in a closed loop", Scale.LINEAR),
          each -> each.load().offered().orElse(0));

  /** The number of initial keys. */
  public static final CaseProperty KEYS =
      new CaseProperty(new Axis("keys", Scale.LOGARITHMIC), each -> each.load().keys().count());
}
