/**
 * Guards around Ratis 3.3.0, without which an acknowledged write could be lost or a stale read be
 * served. Each has a test that fails without it. Checks of requests and responses between servers
 * belong here; read indexes are confirmed in {@code read}, and followers are protected from too
 * many entries in {@code flow}.
 */
package io.quorate.ratis.guards;
