/**
 * The {@code shell} command: it executes client verbs one after the other from a terminal or a
 * pipe, and completes verbs and keys. The verbs themselves do not belong here; they are in {@code
 * io.quorate.server.cli}.
 */
package io.quorate.server.cli.shell;
