/** The evaluation of quorum reads on Raft: the leader beside majorities that do without it. */
package io.quorate.benchmarks.paper.quorum;
