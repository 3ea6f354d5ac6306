/** A window into Ratis' own package of this name, as small as can be. */
package org.apache.ratis.server.raftlog.segmented;
