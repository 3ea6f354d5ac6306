/** The parts of a cluster: its nodes, regions and replicas, their state, and how to change them. */
@NullMarked
package io.quorate.client.cluster;

import org.jspecify.annotations.NullMarked;
