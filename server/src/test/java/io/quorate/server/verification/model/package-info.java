/**
 * What the checker is tested against: the database as one sequential object, histories made from
 * it, and a search that tries everything. Shares no code with the checker.
 */
package io.quorate.server.verification.model;
