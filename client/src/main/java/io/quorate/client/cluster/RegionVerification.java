package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
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

  /** What part of the other digests is computed, by node. */
  private final Map<String, Double> computed = new HashMap<>();

  /** Why there is no digest of a member yet, by node; without those that compute one. */
  private final Map<String, String> reasons = new TreeMap<>();

  /** Whose replica its own node has found to differ, and closed before its digest was seen here. */
  private final Set<String> foundToDiffer = new TreeSet<>();

  private Set<String> members = Set.of();
  private boolean isOver;

  /**
   * @param position of the request for digests
   */
  public RegionVerification(GroupId id, Position position) {
    this.id = Nulls.refuse(id, "id");
    this.position = Nulls.refuse(position, "position");
  }

  /** The region. */
  public GroupId id() {
    return id;
  }

  /** The position of the digests. */
  public Position position() {
    return position;
  }

  /**
   * Learns from a status. It is over when no replica that is reported may still have a digest soon:
   * one that has long been behind is not waited for.
   */
  public void observe(ClusterStatus status) {
    Nulls.refuse(status, "status");
    if (isOver) {
      return;
    }
    boolean isAwaited = false;
    Set<String> seen = new TreeSet<>();
    computed.clear();
    reasons.clear();
    for (NodeReport node : status.nodes()) {
      Optional<ReplicaState> replica = node.replica(id);
      if (!node.isUp()) {
        reasons.put(node.name(), "does not respond");
      }
      node.state()
          .map(state -> state.damages().get(id))
          .filter(damage -> damage.startsWith(ReplicaState.DIFFERS))
          .ifPresent(damage -> foundToDiffer.add(node.name()));
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
    if (replica.behind().isPresent() && replica.applied() < position.index()) {
      reasons.put(node, "is behind");
      return false;
    }
    replica.digestProgress().ifPresent(part -> computed.put(node, part));
    // A replica that has applied the request either computes the digest, or never will.
    return !isPast
        && (replica.applied() < position.index() || replica.digestProgress().isPresent());
  }

  /** Whether no replica that was reported last may still have a digest at the position. */
  public boolean isOver() {
    return isOver;
  }

  /** What part of the digests of all members is computed, 0 to 1. */
  public double done() {
    double parts = computed.values().stream().mapToDouble(part -> part).sum();
    return isOver ? 1 : members.isEmpty() ? 0 : (digests.size() + parts) / members.size();
  }

  /** Whether all members have the same digest. */
  public boolean isEqual() {
    return !digests.isEmpty() && differing().isEmpty() && missing().isEmpty();
  }

  /** The replicas whose digest is not that of a majority; all if there is no majority. */
  public List<String> differing() {
    Map<String, Long> counts =
        digests.values().stream()
            .collect(Collectors.groupingBy(hash -> hash, Collectors.counting()));
    if (counts.size() <= 1) {
      return List.copyOf(foundToDiffer);
    }
    Optional<String> majority =
        counts.entrySet().stream()
            .filter(each -> 2 * each.getValue() > members.size())
            .map(Map.Entry::getKey)
            .findFirst();
    Set<String> differing = new TreeSet<>(foundToDiffer);
    digests.forEach(
        (node, digest) -> {
          if (majority.isEmpty() || !digest.equals(majority.get())) {
            differing.add(node);
          }
        });
    return List.copyOf(differing);
  }

  /** The members without a digest at the position. */
  public List<String> missing() {
    return members.stream()
        .filter(member -> !digests.containsKey(member) && !foundToDiffer.contains(member))
        .toList();
  }

  /** What a person reads. */
  public String text() {
    List<String> parts = new ArrayList<>();
    if (!differing().isEmpty()) {
      parts.add("DIFFER: " + names(differing()));
    }
    List<String> missing = missing();
    if (parts.isEmpty() && (isEqual() || digests.size() > 1)) {
      parts.add("equal on " + names(digests.keySet()));
    }
    if (!missing.isEmpty()) {
      parts.add("no digest of " + names(missing.stream().map(this::withReason).toList()));
    }
    return parts.isEmpty() ? "no replica responded" : String.join("; ", parts);
  }

  private String withReason(String member) {
    return Optional.ofNullable(reasons.get(member))
        .map(reason -> member + ", which " + reason)
        .orElse(member);
  }

  private static String names(Collection<String> nodes) {
    return String.join(", ", nodes);
  }
}
