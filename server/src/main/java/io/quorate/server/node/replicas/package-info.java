/**
 * The replicas on this node: opening, closing and removing them, and what is planned for their
 * regions.
 */
package io.quorate.server.node.replicas;
