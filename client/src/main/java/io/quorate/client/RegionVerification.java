package io.quorate.client;

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

/**
 * What is known of the digests of one region at one position, from one status to the next. One
 * thread.
 *
 * <pre>{@code
 * RegionVerification region =
 *     new RegionVerification(id, client.verifyRegion(id));
 * while (!region.isOver()) {
 *   region.observe(client.status());
 * }
 * }</pre>
 */
public final class RegionVerification {
  private final GroupId id;
  private final Position position;

  /** The digests at the position, by node; they stay known when a replica is replaced. */
  private final Map<String, String> digests = new TreeMap<>();

  private Set<String> members = Set.of();
  private boolean isOver;

  /**
   * @param position of the request for digests
   */
  public RegionVerification(GroupId id, Position position) {
    this.id = id;
    this.position = position;
  }

  /** The region. */
  public GroupId id() {
    return id;
  }

  /** The position of the digests. */
  public Position position() {
    return position;
  }

  /** Learns from a status. It is over when no replica that is reported may still have a digest. */
  public void observe(ClusterStatus status) {
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

  /** Whether no replica that was reported last may still have a digest at the position. */
  public boolean isOver() {
    return isOver;
  }

  /** The fraction of the digests that are known. */
  public double done() {
    return isOver ? 1 : members.isEmpty() ? 0 : (double) digests.size() / members.size();
  }

  /** Whether all members have the same digest. */
  public boolean isEqual() {
    return differing().isEmpty() && missing().isEmpty();
  }

  /** The replicas whose digest is not that of a majority; all if there is no majority. */
  public List<String> differing() {
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
  public List<String> missing() {
    return members.stream().filter(member -> !digests.containsKey(member)).toList();
  }

  /** What a person reads. */
  public String text() {
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
