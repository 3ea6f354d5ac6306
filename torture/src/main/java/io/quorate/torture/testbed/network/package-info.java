/**
 * The network between the processes of a cluster on one machine: relays that can cut, delay and
 * limit each link, and interfaces of limited bandwidth. The faults that cut links do not belong
 * here; they are in the package {@code nemesis}.
 */
package io.quorate.torture.testbed.network;
