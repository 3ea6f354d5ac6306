package io.quorate.server.node.moves;

/** Rules of changes of replicas, each of which a model may break. */
enum MoveMutation {
  /** Members are changed although the receiver has not recorded the plan. */
  RECEIVER_WITHOUT_PLAN,
  /** Members are changed by a plan that region 0 has not confirmed as the present one. */
  PLAN_WITHOUT_CONFIRMATION,
  /** Members are changed in another epoch of the group than that of the checks. */
  CHANGE_IN_LATER_EPOCH,
  /** A replica is removed in any epoch that does not concern its node. */
  REMOVAL_BY_ANY_EPOCH,
  /** Only the epoch in which a replica begins is recorded. */
  ONE_RECORD,
  /** An addition is taken back without a plan of its own. */
  WITHDRAWAL_WITHOUT_PLAN
}
