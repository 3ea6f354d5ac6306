package io.quorate.client.internal.connection;

import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Which founding of its cluster a client uses (decision 0072): that of the first topology that it
 * receives. It follows the cluster to another founding, since the cluster was built anew, if a node
 * of that one responds at a seed, which is where its application wants it to connect, and no node
 * of the former one is connected. Used by the event loop only.
 */
public final class KnownFounding {
  private Optional<UUID> known = Optional.empty();
  private boolean pinned;

  /** Why the last node was refused; empty if one of this founding has responded since. */
  private Optional<String> refusal = Optional.empty();

  public Optional<UUID> known() {
    return known;
  }

  /** Whether another founding than this one is in use. */
  public boolean isOther(UUID founding) {
    return known.filter(present -> !present.equals(founding)).isPresent();
  }

  public void use(UUID founding) {
    known = Optional.of(founding);
  }

  /** Uses this founding for ever, as a node does, whose replicas belong to it. */
  public void pin(UUID founding) {
    use(founding);
    pinned = true;
  }

  /** The last refusal, as a phrase; empty if a node of this founding has responded since. */
  public Optional<String> lastRefusal() {
    return refusal;
  }

  /**
   * Why a node is not used that has just been connected to, as a phrase; empty if it is used.
   *
   * @param node a description of the node
   * @param theirs the founding that it belongs to; empty if it does not know it
   * @param isSeed whether its address is one of the seeds, and it has a topology
   * @param isConnected whether there is a connection to a node of a founding
   */
  public Optional<String> refusal(
      String node, Optional<UUID> theirs, boolean isSeed, Predicate<UUID> isConnected) {
    if (theirs.isEmpty() || !isOther(theirs.get())) {
      refusal = refusal.filter(former -> theirs.isEmpty());
      return Optional.empty();
    }
    if (!pinned && isSeed && !isConnected.test(known.get())) {
      return Optional.empty();
    }
    refusal =
        Optional.of(
            node
                + " belongs to a cluster of the same name that was founded at another time, as "
                + theirs.get()
                + " and not as "
                + known.get());
    return refusal;
  }
}
