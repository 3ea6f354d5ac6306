/**
 * The verb {@code load}: the reader of lines in the format that {@code scan} prints, the window of
 * lines in flight, and the command. The encoding of a key or value belongs to {@code cli.format},
 * and other verbs that write many keys do not belong here.
 */
package io.quorate.server.cli.load;
