/** How a node finds its cluster, and becomes a part of it. */
package io.quorate.server.node.join;
