package io.quorate.consensus;

/**
 * An optional operation on a group, besides proposing commands and obtaining read indexes. The
 * {@linkplain Capabilities#controls() capabilities} of an engine list the controls it implements.
 */
public interface GroupControl {}
