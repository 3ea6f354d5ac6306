/** Named moments at which tests make things go wrong. */
package io.quorate.failpoint;
