/**
 * What is watched on a node from time to time, and what is reported of it: disk, device, lag,
 * health.
 */
package io.quorate.server.node.monitor;
