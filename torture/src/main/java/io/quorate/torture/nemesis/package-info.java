/**
 * Faults that are injected into a cluster of processes, one class for each kind. When they are
 * injected and healed does not belong here; that is in the package {@code run}. Nor do relays,
 * disks, clocks and failpoints; they are in packages of their own.
 */
package io.quorate.torture.nemesis;
