/** Connections to nodes: their handshakes, pools and pauses, and single requests to one node. */
package io.quorate.client.internal.connection;
