/**
 * Where replicas and leaders are placed: the decisions, without side effects, and the service that
 * carries them out, on the node whose replica of region 0 serves.
 */
package io.quorate.server.placement;
