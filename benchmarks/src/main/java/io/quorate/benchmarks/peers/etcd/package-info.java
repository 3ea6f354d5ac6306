/** etcd as a contender, and a connection by gRPC for the two calls that are compared. */
package io.quorate.benchmarks.peers.etcd;
