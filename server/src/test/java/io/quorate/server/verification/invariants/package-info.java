/**
 * Rules that every linearizable history keeps and that are checked without a search: they cost
 * little, and what they find is easy to understand.
 */
package io.quorate.server.verification.invariants;
