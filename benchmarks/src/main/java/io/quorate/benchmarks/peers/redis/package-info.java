/** Redis as a contender, and a connection by its protocol. */
package io.quorate.benchmarks.peers.redis;
