/** Verbs that list and change users and roles. */
package io.quorate.server.cli.access;
