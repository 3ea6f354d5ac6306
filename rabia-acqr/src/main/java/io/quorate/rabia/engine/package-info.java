/**
 * The driver of the protocol: one loop for each replica passes inputs to {@link
 * io.quorate.rabia.core.Replica} and carries out its effects on log, transport and state machine.
 * Protocol rules belong to {@code core}; file and wire formats to {@code log}, {@code codec} and
 * {@code io.quorate.replication.transport}.
 */
package io.quorate.rabia.engine;
