import type { Outcome } from './job.ts'

/**
 * Returns how much longer than recorded the jobs of a part take in this run, by those that have
 * ended: 1 without one, and never less, since a few short files say little about a long one.
 */
export function paceOf(
  outcomes: readonly { job: Pick<Outcome['job'], 'part' | 'seconds'>; ms: number }[],
  part: string,
): number {
  const ended = outcomes.filter(({ job }) => job.part === part)
  const took_ms = ended.reduce((sum, { ms }) => sum + ms, 0)
  const recorded_ms = ended.reduce((sum, { job }) => sum + 1000 * job.seconds, 0)
  return recorded_ms > 0 ? Math.max(1, took_ms / recorded_ms) : 1
}
