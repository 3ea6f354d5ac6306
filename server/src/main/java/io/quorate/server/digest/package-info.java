/**
 * Compares the replicas of regions by digests of what they have at one position (decision 0071).
 */
package io.quorate.server.digest;
