/**
 * The cluster topology: nodes, regions with their key ranges, epochs and replicas, and this node's
 * view of them while it runs, with its local replicas and the known leaders. Includes the initial
 * topology, its storage in region 0, its lookup from other nodes, and its protobuf form. Routing of
 * requests belongs to {@code rpc}, opening and closing of replicas to {@code node}.
 */
package io.quorate.server.topology;
