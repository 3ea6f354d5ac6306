/**
 * The evaluation of quorum reads on Raft: reads by the leader compared with reads by majorities.
 * What several papers need does not belong here; it is in the package above.
 */
package io.quorate.benchmarks.paper.quorum;
