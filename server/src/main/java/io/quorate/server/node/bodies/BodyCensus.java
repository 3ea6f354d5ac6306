package io.quorate.server.node.bodies;

import io.quorate.model.GroupId;
import io.quorate.protocol.wire.v1.BodyFigures;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the last walks found of the bodies of each region. Nothing before the first search, and
 * where large values are not replicated as bodies. Thread-safe; nothing blocks.
 */
public final class BodyCensus {
  private final Map<GroupId, BodyTally> searched = new ConcurrentHashMap<>();
  private final Map<GroupId, BodyTally> verified = new ConcurrentHashMap<>();

  /** Replaces the results of the search for missing bodies, for the regions that it has read. */
  void searched(Map<GroupId, BodyTally> regions) {
    searched.putAll(regions);
  }

  /** Replaces the results of the verification, for the regions that it has read. */
  void verified(Map<GroupId, BodyTally> regions) {
    verified.putAll(regions);
  }

  /** The figures of a region, for its status; empty before the first search. */
  public Optional<BodyFigures> figures(GroupId region) {
    return Optional.ofNullable(searched.get(region))
        .map(
            found ->
                BodyFigures.newBuilder()
                    .setFragments(found.fragments())
                    .setComplete(found.complete())
                    .setMissing(found.missing())
                    .setDamaged(verified.getOrDefault(region, BodyTally.NONE).failed())
                    .setBytes(found.bytes())
                    .build());
  }
}
