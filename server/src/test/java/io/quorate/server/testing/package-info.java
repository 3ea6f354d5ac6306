/**
 * Fixtures of several test packages: an engine in memory, a client of plain sockets, configurations
 * of clusters. Fixtures of one package belong to that package.
 */
package io.quorate.server.testing;
