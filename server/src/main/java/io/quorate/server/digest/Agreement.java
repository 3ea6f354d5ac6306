package io.quorate.server.digest;

import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.RegionDigest;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the digests of the replicas of a region at one position say. Pure.
 *
 * @param agreeing the replicas that have the digest of a majority of the members; empty if there is
 *     no such digest
 * @param differing the replicas that have another one than the majority; if there is no majority
 *     and all digests are known, all of them unless they are equal
 */
record Agreement(Kind kind, Set<NodeId> agreeing, Set<NodeId> differing) {
  private static final int RANGES_MAX = 4;

  enum Kind {
    /** Digests are missing, and those that are there do not tell. */
    INCOMPLETE,
    /** All members have the same digest. */
    EQUAL,
    /** A majority of the members has the same digest, and others have another one. */
    MINORITY_DIFFERS,
    /** All digests are known, and no majority has the same one: nobody can tell which is right. */
    UNDECIDED
  }

  /**
   * @param digests at one position, of members
   */
  static Agreement of(Map<NodeId, RegionDigest> digests, Collection<NodeId> members) {
    Map<RegionDigest, Set<NodeId>> byDigest =
        digests.entrySet().stream()
            .filter(each -> members.contains(each.getKey()))
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getValue,
                    Collectors.mapping(Map.Entry::getKey, Collectors.toSet())));
    Set<NodeId> known =
        byDigest.values().stream().flatMap(Collection::stream).collect(Collectors.toSet());
    boolean isComplete = known.size() == members.size();
    Set<NodeId> majority =
        byDigest.values().stream()
            .filter(nodes -> 2 * nodes.size() > members.size())
            .findFirst()
            .orElse(Collections.emptySet());
    if (majority.isEmpty()) {
      return isComplete
          ? new Agreement(Kind.UNDECIDED, Set.of(), known)
          : new Agreement(Kind.INCOMPLETE, Set.of(), Set.of());
    }
    Set<NodeId> differing = new HashSet<>(known);
    differing.removeAll(majority);
    Kind kind =
        !differing.isEmpty() ? Kind.MINORITY_DIFFERS : isComplete ? Kind.EQUAL : Kind.INCOMPLETE;
    return new Agreement(kind, Set.copyOf(majority), Set.copyOf(differing));
  }

  /** How the digest of a replica differs from another one, the rest of a sentence about it. */
  static String difference(RegionDigest digest, RegionDigest other, Collection<NodeId> nodes) {
    Function<RegionDigest.Part, String> range =
        part ->
            "from "
                + part.start()
                + digest.endOf(part.start()).map(end -> " up to " + end).orElse(" on");
    List<Key> differing = digest.differences(other);
    String rows =
        digest.parts().stream()
            .filter(part -> differing.contains(part.start()))
            .limit(RANGES_MAX)
            .map(range)
            .collect(Collectors.joining(", "));
    boolean areSessionsEqual = digest.sessions().equals(other.sessions());
    return "differs from "
        + nodes.stream().map(NodeId::value).sorted().collect(Collectors.joining(" and "))
        + " at "
        + digest.position()
        + " in "
        + (rows.isEmpty() ? "its sessions" : "the rows " + rows)
        + (rows.isEmpty() || areSessionsEqual ? "" : " and in its sessions");
  }
}
