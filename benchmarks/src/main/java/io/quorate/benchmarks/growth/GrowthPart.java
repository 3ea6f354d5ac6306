package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Clusters that run at the same time and are compared with the first of them.
 *
 * @param title of what the clusters differ in, for tables
 * @param contenders the clusters; the first has one region and no idle connections
 * @param isBusy whether all their regions are in use
 * @param loads returns the loads for the clusters that serve
 */
record GrowthPart(
    String title,
    List<GrowthContender> contenders,
    boolean isBusy,
    Function<List<SystemUnderTest>, List<Case>> loads) {

  GrowthPart {
    contenders = List.copyOf(contenders);
  }

  /**
   * The parts of a measurement: busy regions under each preset, and idle regions and connections
   * under the first preset. A part that would have one cluster only is left out.
   */
  static List<GrowthPart> of(GrowthScale scale) {
    GrowthLoads loads = new GrowthLoads(scale);
    List<GrowthPart> parts = new ArrayList<>();
    for (String preset : scale.presets()) {
      parts.add(
          new GrowthPart(
              preset + ", all regions in use",
              scale.sizes().busyRegions().stream()
                  .map(regions -> GrowthContender.busy(preset, regions, scale.settle()))
                  .toList(),
              true,
              loads::allInUse));
    }
    String preset = scale.presets().get(0);
    List<GrowthContender> idle =
        Stream.concat(
                scale.sizes().idleRegions().stream()
                    .map(regions -> GrowthContender.idle(preset, regions, 0, scale.settle())),
                scale.sizes().connections().stream()
                    .map(
                        connections ->
                            GrowthContender.idle(preset, 1, connections, scale.settle())))
            .toList();
    parts.add(
        new GrowthPart(
            preset + ", idle regions and connections",
            idle,
            false,
            systems -> loads.idleBeside(systems, idle)));
    return parts.stream().filter(each -> each.contenders().size() > 1).toList();
  }
}
