/**
 * References for the tests of the checker: the database as one sequential object, histories
 * generated with it, and a brute-force search. Shares no code with the checker.
 */
package io.quorate.torture.model;
