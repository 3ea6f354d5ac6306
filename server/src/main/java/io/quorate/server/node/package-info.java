/** One node put together: its directory, its regions, its housekeeping, its start and its end. */
package io.quorate.server.node;
