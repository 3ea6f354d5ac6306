package io.quorate.server.config;

import io.quorate.consensus.NodeId;
import java.nio.file.Path;

/**
 * The settings of this node alone.
 *
 * @param id which of the cluster's nodes this is
 * @param data the data directory, which holds everything that the node must keep
 * @param bind the address to listen on, for clients and for other nodes
 */
public record NodeConfig(NodeId id, Path data, String bind) {}
