/**
 * The network between the processes of a cluster on one machine: relays that can cut and delay each
 * link. The faults that cut links do not belong here; they are in the package {@code nemesis}.
 */
package io.quorate.torture.network;
