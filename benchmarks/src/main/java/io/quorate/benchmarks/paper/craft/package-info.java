/**
 * The evaluation of CRaft: erasure-coded replication of large values, compared with complete
 * replication and with coded replication that cannot fall back to complete copies.
 */
package io.quorate.benchmarks.paper.craft;
