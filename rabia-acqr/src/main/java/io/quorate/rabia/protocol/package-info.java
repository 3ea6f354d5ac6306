/**
 * The messages between replicas, the records of the log, and the values that they contain: data
 * without behaviour, shared by the core, the codec, the log and the transport. The protocol logic
 * belongs in the core, encodings belong in the codec.
 */
package io.quorate.rabia.protocol;
