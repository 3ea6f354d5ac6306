package io.quorate.client;

/**
 * A call that begins.
 *
 * @param operation what the call does
 */
public record CallStart(CallOperation operation) {}
