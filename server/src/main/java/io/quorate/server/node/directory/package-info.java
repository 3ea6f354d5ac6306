/** The directory of a node: its lock, its identity, its starts, and which replicas have begun. */
package io.quorate.server.node.directory;
