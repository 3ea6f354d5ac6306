/**
 * Loopback ports for clusters whose nodes run on one machine, in tests and in local clusters.
 * Sockets and protocols of nodes do not belong here.
 */
package io.quorate.loopback;
