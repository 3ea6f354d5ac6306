/**
 * What can be asked of the database, and what it answers: the vocabulary that clients, servers and
 * state machines share.
 *
 * <p>The encoding is one for all three places: the bytes a client writes into a frame are the bytes
 * in the log, and the bytes the state machine answers are the bytes the client reads. Engines never
 * look into them.
 */
package io.quorate.operation;
