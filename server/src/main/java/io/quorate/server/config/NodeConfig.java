package io.quorate.server.config;

import io.quorate.consensus.NodeId;
import java.nio.file.Path;

/**
 * What is this node's own.
 *
 * @param id which of the cluster's nodes this is
 * @param data the directory that holds everything the node must keep
 * @param bind the address to listen on, for clients and for other nodes
 */
public record NodeConfig(NodeId id, Path data, String bind) {}
