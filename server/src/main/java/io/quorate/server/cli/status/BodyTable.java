package io.quorate.server.cli.status;

import io.quorate.client.cluster.ReplicaState;
import io.quorate.server.cli.format.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Formats what the nodes hold of the bodies of large values. Without side effects. */
final class BodyTable {
  private static final String UNKNOWN = "-";

  private BodyTable() {}

  /** One line for each replica of the regions with bodies; empty if no replica reports bodies. */
  static Optional<String> of(List<RegionView> regions) {
    List<RegionView> reported = regions.stream().filter(BodyTable::isReported).toList();
    if (reported.isEmpty()) {
      return Optional.empty();
    }
    TextTable table =
        TextTable.ofTexts("REGION", "REPLICA", "FRAGMENTS", "COMPLETE", "DEGRADED", "BYTES");
    for (RegionView region : reported) {
      for (RegionView.ReplicaView view : region.replicas()) {
        table.add(
            Integer.toString(region.id()),
            view.node(),
            figure(view, ReplicaState.Bodies::fragments),
            figure(view, ReplicaState.Bodies::complete),
            figure(view, ReplicaState.Bodies::degraded),
            figure(view, ReplicaState.Bodies::bytes));
      }
    }
    return Optional.of(table.render());
  }

  static Map<String, Object> json(ReplicaState.Bodies bodies) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("fragments", bodies.fragments());
    json.put("complete", bodies.complete());
    json.put("missing", bodies.missing());
    json.put("damaged", bodies.damaged());
    json.put("bytes", bodies.bytes());
    return json;
  }

  private static boolean isReported(RegionView region) {
    return region.replicas().stream().anyMatch(view -> bodies(view).isPresent());
  }

  private static String figure(
      RegionView.ReplicaView view, ToLongFunction<ReplicaState.Bodies> of) {
    return bodies(view).map(bodies -> Long.toString(of.applyAsLong(bodies))).orElse(UNKNOWN);
  }

  private static Optional<ReplicaState.Bodies> bodies(RegionView.ReplicaView view) {
    return view.replica().flatMap(ReplicaState::bodies);
  }
}
