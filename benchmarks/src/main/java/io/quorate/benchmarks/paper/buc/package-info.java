/** The evaluation of BUC-Raft: answers at commit, and reads ahead of apply, beside plain Raft. */
package io.quorate.benchmarks.paper.buc;
