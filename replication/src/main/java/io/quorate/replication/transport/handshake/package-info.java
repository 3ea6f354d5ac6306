/**
 * The frames that two nodes exchange before any other, and what each durably remembers of the
 * other: its disk and the last of its starts.
 */
package io.quorate.replication.transport.handshake;
