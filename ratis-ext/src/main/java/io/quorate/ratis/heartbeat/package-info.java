/** One heartbeat between two nodes for all groups in which there is nothing else to send. */
package io.quorate.ratis.heartbeat;
