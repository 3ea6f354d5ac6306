/**
 * The evaluation of BUC-Raft: responses at commit and reads that do not wait for apply, compared
 * with plain Raft. What several papers need does not belong here; it is in the package above.
 */
package io.quorate.benchmarks.paper.buc;
