/**
 * A cluster in the process of the test: real sockets and the real wire protocol in front of sorted
 * maps. Tests script the faults of its nodes. Consensus and storage do not belong here.
 */
package io.quorate.client.fake;
