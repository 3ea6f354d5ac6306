/**
 * The operations of the database and their results, with their encoding and limits. Shared by
 * clients, servers and state machines; executing operations belongs to the storage module.
 *
 * <p>There is one encoding: the bytes of a command are the same in a client's request and in the
 * log, and the bytes of a result are the same from the state machine to the client. Engines do not
 * interpret them.
 */
package io.quorate.protocol.operation;
