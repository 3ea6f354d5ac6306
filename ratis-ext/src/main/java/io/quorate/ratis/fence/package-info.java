/**
 * Checks around Ratis without which an acknowledged write could be lost or a stale read be served.
 * Each has a test that fails when it is taken away.
 */
package io.quorate.ratis.fence;
