/**
 * The requests of operators and nodes about the cluster: its nodes, regions, replicas and users.
 */
package io.quorate.server.rpc.cluster;
