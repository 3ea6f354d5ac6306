package io.quorate.ratis.read;

import java.util.Collection;
import java.util.Set;

/**
 * Who must agree: a majority of the voters and, while the membership changes, of the former voters
 * too.
 *
 * @param voters the present voters
 * @param formerVoters the voters being replaced; empty when no change is under way
 */
public record Majority<N>(Collection<N> voters, Collection<N> formerVoters) {

  /** Whether {@code agreed} is enough. */
  public boolean isReachedBy(Set<N> agreed) {
    return isMajority(voters, agreed)
        && (formerVoters.isEmpty() || isMajority(formerVoters, agreed));
  }

  private static <N> boolean isMajority(Collection<N> all, Set<N> agreed) {
    long count = all.stream().filter(agreed::contains).count();
    return count > all.size() / 2;
  }
}
