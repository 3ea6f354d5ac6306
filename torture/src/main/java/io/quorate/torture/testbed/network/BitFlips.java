package io.quorate.torture.testbed.network;

import io.quorate.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Flips single bits of the bytes that pass some links, as a faulty switch or memory would: one bit
 * after a random number of bytes on any of the links. Thread-safe.
 */
public final class BitFlips {
  private final Set<Link> links;
  private final int bytesMean;
  private final Random random;
  private final Map<NodeId, Integer> flipped = new HashMap<>();
  private int bytesLeft;

  /**
   * @param bytesMean the mean number of bytes between two flips, 1 or more
   */
  public BitFlips(Set<Link> links, int bytesMean, Random random) {
    this.links = Set.copyOf(links);
    this.bytesMean = bytesMean;
    this.random = random;
    this.bytesLeft = distance();
  }

  private int distance() {
    return random.nextInt(2 * bytesMean);
  }

  /** Passes the first bytes of a chunk over a link. */
  synchronized void pass(Link link, byte[] chunk, int length) {
    if (!links.contains(link)) {
      return;
    }
    int at = bytesLeft;
    while (at < length) {
      chunk[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      flipped.merge(link.to(), 1, Integer::sum);
      at += 1 + distance();
    }
    bytesLeft = at - length;
  }

  /** How many bits were flipped so far on the way to these nodes. */
  public synchronized int flipped(Collection<NodeId> nodes) {
    return nodes.stream().mapToInt(node -> flipped.getOrDefault(node, 0)).sum();
  }
}
