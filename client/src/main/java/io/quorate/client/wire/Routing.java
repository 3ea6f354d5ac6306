package io.quorate.client.wire;

/**
 * Where a read or write goes and how long it is worth the trouble.
 *
 * @param region the region's number
 * @param epoch the region's epoch as the client knows it
 * @param timeoutMillis how long the client will wait for this attempt; 1 or more
 */
public record Routing(int region, long epoch, int timeoutMillis) {}
