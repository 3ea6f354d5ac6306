package io.quorate.consensus;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What an engine offers under given settings, as data, so that what does not fit together is
 * refused before anything starts.
 *
 * @param hasLeader whether one replica at a time accepts proposals; otherwise every one does
 * @param replicasMost how many replicas a group may have
 * @param guarantees the kinds of {@link Guarantee} that {@link ConsensusGroup#readPoint} accepts
 * @param clockDrift how far clock rates may differ for {@link
 *     Guarantee.LinearizableIfClocksBounded}, as the lost part of the lease; empty if no guarantee
 *     offered depends on clocks
 * @param largestCommandBytes the longest payload {@link ConsensusGroup#propose} accepts
 * @param fullReplicas whether every replica receives every command in full
 * @param controls the control interfaces that {@link ConsensusGroup#control} answers
 * @param lastingSettings the settings, by key, that the engine's files depend on: none of them may
 *     change for as long as there are files
 */
public record Capabilities(
    boolean hasLeader,
    int replicasMost,
    Set<Class<? extends Guarantee>> guarantees,
    Optional<Duration> clockDrift,
    int largestCommandBytes,
    boolean fullReplicas,
    Set<Class<? extends GroupControl>> controls,
    Map<String, String> lastingSettings) {
  public Capabilities {
    guarantees = Set.copyOf(guarantees);
    controls = Set.copyOf(controls);
    lastingSettings = Map.copyOf(lastingSettings);
  }

  public boolean offers(Guarantee guarantee) {
    return guarantees.contains(guarantee.getClass());
  }
}
