/**
 * Durable store of the bodies of large values, which travel beside the consensus log: segment
 * files, their recovery, the index over them and the return of their space belong here. Which body
 * a value consists of, and which bodies are garbage, does not: the owner knows both. Rows belong to
 * {@code rocks}.
 */
package io.quorate.storage.body;
