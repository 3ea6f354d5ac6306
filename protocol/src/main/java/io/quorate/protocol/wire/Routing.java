package io.quorate.protocol.wire;

/**
 * The destination and the timeout of a read or write.
 *
 * @param region the id of the region
 * @param epoch the epoch of the region in the topology of the client
 * @param timeoutMillis how long the client waits for the response to this attempt; 1 or more
 */
public record Routing(int region, long epoch, int timeoutMillis) {}
