/**
 * Operations of clients with their times and outcomes, in memory and in files: the input of the
 * checkers. The checkers, and the clients that perform operations, do not belong here.
 */
package io.quorate.torture.history;
