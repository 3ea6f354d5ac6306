package io.quorate.server.config;

import io.quorate.model.NodeId;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The settings of this node alone.
 *
 * @param id which of the cluster's nodes this is
 * @param data the data directory, which holds everything that the node must keep, except for the
 *     log if that has a directory of its own
 * @param log the directory with the log of consensus; empty if the log is in the data directory
 * @param bind the address to listen on, for clients and for other nodes
 */
public record NodeConfig(NodeId id, Path data, Optional<Path> log, String bind) {}
