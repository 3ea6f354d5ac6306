package io.quorate.server.verification.network;

import java.util.Set;

/**
 * Links that are cut for a while.
 *
 * @param links in which nothing arrives
 * @param manner what becomes of the connections that use them
 */
public record Cut(Set<Link> links, Manner manner) {
  public Cut {
    links = Set.copyOf(links);
  }

  /** How a cut shows. */
  public enum Manner {
    /** Connections stay and bytes wait, as where packets are lost and sent again. */
    HELD,
    /** Connections break, and new ones break at once, as where a firewall resets them. */
    RESET
  }
}
