package io.quorate.replication.quorum;

import java.util.Collection;
import java.util.Set;

/**
 * The voters that must agree: a majority of the current voters and, during a configuration change,
 * also of the former voters.
 *
 * @param voters the current voters
 * @param formerVoters the voters being replaced; empty if no configuration change is in progress
 */
public record Majority<N>(Collection<N> voters, Collection<N> formerVoters) {

  /** Whether the voters in {@code agreed} are enough. */
  public boolean isReachedBy(Set<N> agreed) {
    return isMajority(voters, agreed)
        && (formerVoters.isEmpty() || isMajority(formerVoters, agreed));
  }

  private static <N> boolean isMajority(Collection<N> all, Set<N> agreed) {
    long count = all.stream().filter(agreed::contains).count();
    return count > all.size() / 2;
  }
}
