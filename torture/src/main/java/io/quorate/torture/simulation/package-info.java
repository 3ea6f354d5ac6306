/**
 * A Rabia group in one thread and virtual time; one seed is one run. Nodes, disks, network and
 * clients are simulated; the core is that of production. Invariants are checked after every effect,
 * the histories of clients at the end of a run. Real processes, sockets and files do not belong
 * here.
 */
package io.quorate.torture.simulation;
