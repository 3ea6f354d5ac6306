/** What this node knows of the cluster while it runs: the regions, its own replicas, who leads. */
package io.quorate.server.cluster;
