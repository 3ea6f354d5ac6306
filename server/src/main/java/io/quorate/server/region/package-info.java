/**
 * The map of the cluster: which keys make a region, which nodes hold it, and how the first map
 * comes about. Everything here is immutable and free of I/O.
 */
package io.quorate.server.region;
