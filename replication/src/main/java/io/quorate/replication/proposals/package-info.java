/** The queue in which commands wait until an engine proposes them. */
package io.quorate.replication.proposals;
