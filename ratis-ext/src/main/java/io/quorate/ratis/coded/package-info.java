/**
 * Replication of large values as erasure-coded bodies, before their headers are proposed (CRaft):
 * the decisions of the leader belong here, without disk and network. The erasure code belongs to
 * {@code erasure}, the files of bodies to storage; headers are ordinary commands of the log.
 */
package io.quorate.ratis.coded;
