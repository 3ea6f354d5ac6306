/**
 * A group in one thread without real time: one seed, one run. Nodes, disks, network and clients are
 * simulated; the core is the one that runs in production. Invariants are checked at every effect,
 * histories of clients at the end.
 */
package io.quorate.rabia.simulation;
