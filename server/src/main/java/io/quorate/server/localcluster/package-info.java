/**
 * Clusters on one machine, as processes or within this JVM, for development, measurements and
 * tests. Only the {@code dev} commands, which are here too, make this package part of the server:
 * the code of a node does not belong here and must not depend on it.
 */
package io.quorate.server.localcluster;
