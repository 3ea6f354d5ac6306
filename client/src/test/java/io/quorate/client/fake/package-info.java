/**
 * A cluster in the test's own process: real sockets and the real wire protocol in front of a map.
 * Tests tell its nodes to misbehave in scripted ways.
 */
package io.quorate.client.fake;
