package io.quorate.server.cli.status;

import io.quorate.client.cluster.RegionPlan;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.Rendering;
import io.quorate.server.cli.format.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Formats what is planned for regions and not complete. Without side effects. */
final class PlanTable {
  private PlanTable() {}

  /** One line for each region with a plan, and why the last attempt at it failed. */
  static String of(List<RegionView> regions) {
    TextTable table = TextTable.ofTexts("REGION", "UNDER WAY");
    for (RegionView region : regions) {
      String problem = region.planProblem().map(reason -> ": " + reason).orElse("");
      region
          .plan()
          .ifPresent(
              plan ->
                  table.add(Integer.toString(region.id()), text(plan, region.members()) + problem));
    }
    return table.render();
  }

  private static String text(RegionPlan plan, List<String> members) {
    if (plan instanceof RegionPlan.Split split) {
      return "split at " + Rendering.line(split.at().bytes()) + ", new region " + split.child();
    }
    if (plan instanceof RegionPlan.Merge merge) {
      return "merge of region " + merge.absorbed() + " into region " + merge.into();
    }
    RegionPlan.Replicas replicas = (RegionPlan.Replicas) plan;
    if (replicas.from().isEmpty()) {
      return (members.contains(replicas.to().orElseThrow().value())
              ? "replica stays on "
              : "new replica on ")
          + replicas.to().orElseThrow();
    }
    return replicas
        .to()
        .map(to -> "replica moves from " + replicas.from().get() + " to " + to)
        .orElseGet(() -> "replica leaves " + replicas.from().get());
  }

  static Map<String, Object> json(RegionPlan plan) {
    Map<String, Object> json = new LinkedHashMap<>();
    if (plan instanceof RegionPlan.Split split) {
      json.put("kind", "split");
      json.put("at", Rendering.line(split.at().bytes()));
      json.put("child", split.child().value());
      return json;
    }
    if (plan instanceof RegionPlan.Merge merge) {
      json.put("kind", "merge");
      json.put("absorbed", merge.absorbed().value());
      json.put("into", merge.into().value());
      return json;
    }
    RegionPlan.Replicas replicas = (RegionPlan.Replicas) plan;
    boolean isMove = replicas.from().isPresent() && replicas.to().isPresent();
    json.put("kind", isMove ? "move" : replicas.to().isPresent() ? "add" : "remove");
    json.put("from", replicas.from().map(NodeId::value));
    json.put("to", replicas.to().map(NodeId::value));
    return json;
  }
}
