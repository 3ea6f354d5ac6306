/**
 * The device under a data directory: how fast it writes, what the storage engine makes of that, and
 * whether its fsyncs have become slow. Measures and judges; what follows from it, such as where
 * replicas are placed, is decided elsewhere.
 */
package io.quorate.server.device;
