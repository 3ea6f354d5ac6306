package io.quorate.consensus;

/**
 * Something an engine can be asked to do with a group beyond proposing and reading. Which of these
 * an engine has, its {@linkplain Capabilities#controls() capabilities} say.
 */
public interface GroupControl {}
