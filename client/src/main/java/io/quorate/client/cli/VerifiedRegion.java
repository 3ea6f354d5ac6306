package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeReport;
import io.quorate.client.ReplicaState;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What is known of the digests of one region at one position, from one status to the next. */
final class VerifiedRegion {
  private final GroupId id;
  private final Position position;

  /** The digests at the position, by node; they stay known when a replica is replaced. */
  private final Map<String, String> digests = new TreeMap<>();

  private Set<String> members = Set.of();
  private boolean isOver;

  /**
   * @param position of the request for digests
   */
  VerifiedRegion(GroupId id, Position position) {
    this.id = id;
    this.position = position;
  }

  GroupId id() {
    return id;
  }

  Position position() {
    return position;
  }

  /** Learns from a status. It is over when no replica that is reported may still have a digest. */
  void observe(ClusterStatus status) {
    if (isOver) {
      return;
    }
    boolean isAwaited = false;
    Set<String> seen = new TreeSet<>();
    for (NodeReport node : status.nodes()) {
      Optional<ReplicaState> replica = node.replica(id);
      if (replica.isPresent()) {
        replica.get().members().forEach(member -> seen.add(member.value()));
        isAwaited |= isAwaited(node.name(), replica.get());
      }
    }
    if (!seen.isEmpty()) {
      members = seen;
    }
    isOver = !isAwaited;
  }

  private boolean isAwaited(String node, ReplicaState replica) {
    Optional<ReplicaState.Digest> digest = replica.digest();
    if (digest.filter(newest -> newest.position().equals(position)).isPresent()) {
      digests.put(node, digest.get().hash());
      return false;
    }
    boolean isPast = digest.filter(newest -> newest.position().covers(position)).isPresent();
    // A replica that has applied the request either computes the digest, or never will.
    return !isPast && (replica.applied() < position.index() || replica.digesting());
  }

  boolean isOver() {
    return isOver;
  }

  /** The fraction of the digests that are known. */
  double done() {
    return isOver ? 1 : members.isEmpty() ? 0 : (double) digests.size() / members.size();
  }

  boolean isEqual() {
    return differing().isEmpty() && missing().isEmpty();
  }

  /** The replicas whose digest is not that of a majority; all if there is no majority. */
  List<String> differing() {
    Map<String, Long> counts =
        digests.values().stream()
            .collect(Collectors.groupingBy(hash -> hash, Collectors.counting()));
    if (counts.size() <= 1) {
      return List.of();
    }
    Optional<String> majority =
        counts.entrySet().stream()
            .filter(each -> 2 * each.getValue() > members.size())
            .map(Map.Entry::getKey)
            .findFirst();
    return digests.entrySet().stream()
        .filter(each -> majority.isEmpty() || !each.getValue().equals(majority.get()))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The members without a digest at the position. */
  List<String> missing() {
    return members.stream().filter(member -> !digests.containsKey(member)).toList();
  }

  /** What a person reads. */
  String text() {
    List<String> parts = new ArrayList<>();
    if (!differing().isEmpty()) {
      parts.add("DIFFER: " + names(differing()));
    }
    if (!missing().isEmpty()) {
      parts.add("no digest of " + names(missing()));
    }
    return parts.isEmpty() ? "equal on " + names(members) : String.join("; ", parts);
  }

  private static String names(Collection<String> nodes) {
    return String.join(", ", nodes);
  }
}
