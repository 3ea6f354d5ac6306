package io.quorate.torture.testbed.network;

import java.util.Set;

/**
 * A temporary cut of links.
 *
 * @param links the links on which nothing arrives
 * @param mode the effect on the connections that use the links
 */
public record Cut(Set<Link> links, Mode mode) {
  public Cut {
    links = Set.copyOf(links);
  }

  /** The effect of a cut on connections. */
  public enum Mode {
    /** Connections stay open and bytes wait, as if packets were lost and retransmitted. */
    HELD,
    /** Connections break, new ones at once, as if a firewall reset them. */
    RESET
  }
}
