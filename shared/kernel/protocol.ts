/**
 * The number of the protocol of a dashboard and its agents beyond the calls of every agent. It
 * grows with each change of `shared/` that one side would not understand from the other.
 */
export const PROTOCOL = 1
