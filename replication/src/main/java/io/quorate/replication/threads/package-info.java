/** Threads that the replicas of a node share. */
package io.quorate.replication.threads;
