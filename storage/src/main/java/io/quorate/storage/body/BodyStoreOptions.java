package io.quorate.storage.body;

import java.time.Duration;

/**
 * @param segmentBytes the size at which a segment is sealed; its last body may exceed it
 * @param pendingBodiesMax maximum number of bodies that are not durable yet
 * @param pendingBytesMax maximum bytes of these; one body is accepted whatever its size
 * @param liveShareMin a sealed segment of which a smaller share is in use is compacted; from 0 to 1
 * @param slowSync the duration from which an fsync is logged
 * @param idle how long nothing is written before the last records are stated to be durable; a start
 *     takes damage of these for what a power failure may leave until then
 */
public record BodyStoreOptions(
    long segmentBytes,
    int pendingBodiesMax,
    long pendingBytesMax,
    double liveShareMin,
    Duration slowSync,
    Duration idle) {
  public static final BodyStoreOptions DEFAULT =
      new BodyStoreOptions(
          64L << 20, 4096, 256L << 20, 0.5, Duration.ofSeconds(2), Duration.ofMillis(500));

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public BodyStoreOptions {
    if (segmentBytes < 1 || pendingBodiesMax < 1 || pendingBytesMax < 1) {
      throw new IllegalArgumentException("Sizes of a body store are 1 or more.");
    }
    if (!(liveShareMin >= 0 && liveShareMin <= 1)) {
      throw new IllegalArgumentException("A share is from 0 to 1, not " + liveShareMin + ".");
    }
  }
}
