/**
 * Named points in the code at which tests inject crashes, delays and failures. The points are
 * declared in the classes that pass them; the faults belong to tests.
 */
package io.quorate.failpoint;
