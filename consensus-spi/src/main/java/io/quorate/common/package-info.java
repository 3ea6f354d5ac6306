/**
 * What several modules need and no contract names: bounds on what is in flight, pauses between
 * attempts, the pacing of batches, durable files and their errors, decoding errors, failpoints,
 * shutdown hooks, and ports of the loopback interface. What only one module needs, file formats and
 * protocols do not belong here.
 */
package io.quorate.common;
