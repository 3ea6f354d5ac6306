/**
 * A disk for each node of a cluster of processes, which can become full, stall, lose power and
 * corrupt files, or whose speed is limited. The faults that use the disks do not belong here; they
 * are in the package {@code nemesis}.
 */
package io.quorate.torture.testbed.disk;
