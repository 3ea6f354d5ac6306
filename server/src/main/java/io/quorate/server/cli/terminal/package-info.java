/**
 * Input and output of a command, the client's or another module's: streams, the progress line, exit
 * codes, and errors in a command line as one sentence. Options of verbs do not belong here, nor
 * code that needs a client.
 */
package io.quorate.server.cli.terminal;
