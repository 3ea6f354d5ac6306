/**
 * Replication of large values as erasure-coded bodies, before their headers are proposed (CRaft):
 * the decisions of the leader, which are pure, the transfer of bodies between replicas, and reads
 * that restore a body. The erasure code belongs to {@code erasure}, the files of bodies to storage;
 * headers are ordinary commands of the log.
 */
package io.quorate.replication.coded;
