package io.quorate.server.cli.status;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.DeviceState;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.PlacementState;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What placement does, as JSON. Any thread; does not block. */
public final class PlacementJson {
  private PlacementJson() {}

  /**
   * Returns {region, from, to, rowBytes, reason} of a change of replicas, for {@link
   * io.quorate.server.cli.format.JsonText}; {@code from} and {@code to} are null where a replica is
   * added or removed.
   */
  public static Map<String, Object> change(PlannedChange change) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("region", change.region().value());
    json.put("from", change.from().map(NodeId::value));
    json.put("to", change.to().map(NodeId::value));
    json.put("rowBytes", change.rowBytes());
    json.put("reason", change.reason());
    return json;
  }

  static Map<String, Object> device(DeviceState device) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("writeBytesPerSecond", ClusterJson.whole(device.writeRate()));
    json.put("kvSpeed", ClusterJson.whole(device.speed()));
    json.put("capacityBytes", Optional.of(device.capacityBytes()).filter(capacity -> capacity > 0));
    json.put("syncNanos", ClusterJson.whole(device.syncNanos()));
    json.put("slow", device.isSlow());
    return json;
  }

  /** The last decisions of the node that places replicas and leaders, the oldest first. */
  static List<Map<String, Object>> decisions(ClusterStatus status) {
    List<PlacementState.Decision> decisions =
        new ArrayList<>(
            status.nodes().stream()
                .flatMap(node -> node.state().stream())
                .map(NodeState::placement)
                .flatMap(Optional::stream)
                .findFirst()
                .map(PlacementState::decisions)
                .orElse(List.of()));
    Collections.reverse(decisions);
    return decisions.stream().map(PlacementJson::decision).toList();
  }

  /** The large regions that are not split, the largest first. */
  static List<Map<String, Object>> wholeRegions(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .map(NodeState::placement)
        .flatMap(Optional::stream)
        .findFirst()
        .map(PlacementState::wholeRegions)
        .orElse(List.of())
        .stream()
        .map(PlacementJson::wholeRegion)
        .toList();
  }

  private static Map<String, Object> wholeRegion(PlacementState.WholeRegion region) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("region", region.region().value());
    json.put("rowBytes", region.rowBytes());
    json.put("reason", region.reason());
    return json;
  }

  private static Map<String, Object> decision(PlacementState.Decision decision) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("time", decision.time().toString());
    json.put("kind", decision.kind());
    json.put("region", decision.region().value());
    json.put("from", decision.from().map(NodeId::value));
    json.put("to", decision.to().map(NodeId::value));
    json.put("reason", decision.reason());
    json.put("outcome", decision.outcome());
    return json;
  }
}
