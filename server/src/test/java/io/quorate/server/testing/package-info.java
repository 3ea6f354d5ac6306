/** What several tests need: an engine in memory, a client of plain sockets, configurations. */
package io.quorate.server.testing;
