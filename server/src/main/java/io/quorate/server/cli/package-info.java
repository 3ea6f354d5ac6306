/**
 * The command line verbs that access a cluster through the client: put, get, delete, cas, incr,
 * scan, status, load and others. {@link io.quorate.server.cli.ClientCommands} adds them below the
 * top-level command of a program; {@link io.quorate.server.cli.terminal.ExitCode} lists their exit
 * codes. A verb that consists of several classes has a package of its own below this one. Commands
 * that start or stop nodes do not belong here, nor code that applications call or that several
 * verbs share.
 */
package io.quorate.server.cli;
