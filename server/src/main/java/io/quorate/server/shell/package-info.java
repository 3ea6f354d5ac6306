/** Verbs one after the other, from a terminal or a pipe. */
package io.quorate.server.shell;
