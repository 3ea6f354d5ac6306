/**
 * {@code quorate probe}: measures a device and the storage engine on it for the operator. What a
 * node measures by itself is in {@code device}.
 */
package io.quorate.server.probe;
