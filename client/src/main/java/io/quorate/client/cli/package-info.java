/**
 * The verbs of the command line that talk to a cluster as a client does: put, get, delete, cas,
 * incr, scan, status and load. {@link io.quorate.client.cli.ClientCommands} puts them under a
 * program's own top-level command; {@link io.quorate.client.cli.ExitCode} lists what they exit
 * with.
 */
package io.quorate.client.cli;
