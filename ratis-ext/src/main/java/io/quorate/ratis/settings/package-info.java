/** The settings of the Raft engine, and what Ratis is configured with. */
package io.quorate.ratis.settings;
