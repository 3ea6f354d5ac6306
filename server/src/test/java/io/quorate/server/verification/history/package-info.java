/** What clients asked, when, and what they were told: the raw material of the checkers. */
package io.quorate.server.verification.history;
