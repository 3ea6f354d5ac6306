/**
 * Clusters of server processes on one machine, for development, measurements and tests. Nothing in
 * the server depends on this package but the {@code dev} command.
 */
package io.quorate.server.dev;
