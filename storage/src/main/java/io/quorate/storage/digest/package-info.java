/**
 * Digests of the rows and sessions of regions at one position, by which replicas are compared
 * (decision 0071).
 */
package io.quorate.storage.digest;
