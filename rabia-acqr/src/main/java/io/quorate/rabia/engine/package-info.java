/**
 * The engine around the core: one loop a replica that feeds {@link io.quorate.rabia.core.Replica}
 * and carries out what it wants, between log, transport and state machine.
 */
package io.quorate.rabia.engine;
