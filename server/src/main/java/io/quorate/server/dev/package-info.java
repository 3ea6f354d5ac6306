/**
 * Clusters on one machine, as processes or within this one, for development, measurements and
 * tests. Nothing in the server depends on this package but the {@code dev} command.
 */
package io.quorate.server.dev;
