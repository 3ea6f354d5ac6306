/**
 * One node: its data directory, its local replicas, its periodic tasks, its start and its stop.
 * Connects configuration, storage, consensus engine, RPC server and admin server. Request handling
 * belongs to {@code rpc}, the state of the cluster to {@code topology}.
 */
package io.quorate.server.node;
