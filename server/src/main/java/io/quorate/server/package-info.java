/**
 * The {@code quorate} program: its main class, its command line, and the commands of a single node
 * ({@code server}, {@code health}, {@code generate-man}). The implementation of a node does not
 * belong here; it is in the packages below this one.
 */
package io.quorate.server;
