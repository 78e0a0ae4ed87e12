import type { IsolationOutcome } from '#shared/isolation/isolation.ts'
import type { Scene } from './scene.ts'

export interface AttackVerdict {
  outcome: IsolationOutcome
  /** The observation, or the reason why it does not apply; may be empty. */
  detail: string
}

/** The contexts of a site's code: behind nginx, in jobs of WordPress, in cron jobs, in a shell. */
export const CONTEXTS = ['php', 'job', 'cron', 'shell'] as const
export type AttackContext = (typeof CONTEXTS)[number]

interface AttackDescription {
  severity: 'critical' | 'high' | 'medium' | 'low'
  /** The title of the attempt, in the imperative. */
  title: string
  meaning: string
}

/**
 * An attack inside the attacker. `code` is the body of a PHP function that receives the knowledge
 * of the attacker as `$n` and returns a verdict of scripts.ts.
 */
export interface InsideAttack extends AttackDescription {
  /** All contexts by default. */
  contexts?: readonly AttackContext[]
  code: string
}

/** An attack in which the agent, or a visitor, takes part. */
export interface SceneAttack extends AttackDescription {
  attempt(scene: Scene): Promise<AttackVerdict>
}

export type Attack = InsideAttack | SceneAttack

export const refused = (detail = ''): AttackVerdict => ({ outcome: 'refused', detail })
export const succeeded = (detail: string): AttackVerdict => ({ outcome: 'succeeded', detail })
export const notApplicable = (detail: string): AttackVerdict => ({
  outcome: 'not_applicable',
  detail,
})
export const failed = (detail: string): AttackVerdict => ({ outcome: 'error', detail })

const WORST_FIRST: readonly IsolationOutcome[] = ['succeeded', 'error', 'refused', 'not_applicable']
const CONTEXT_NAMES: Record<AttackContext, string> = {
  php: 'from PHP',
  job: 'from a job',
  cron: 'from a cron job',
  shell: 'from a shell',
}

/** Returns the worst verdict of several contexts, with its context. */
export function worstOf(
  verdicts: readonly (readonly [AttackContext, AttackVerdict])[],
): AttackVerdict {
  const outcome = WORST_FIRST.find((one) => verdicts.some(([, verdict]) => verdict.outcome === one))
  const of = verdicts.filter(([, verdict]) => verdict.outcome === outcome)
  const explained = of.filter(([, { detail }]) => detail !== '')
  const details = explained.map(([context, { detail }]) =>
    outcome === 'not_applicable' ? detail : `${CONTEXT_NAMES[context]}: ${detail}`,
  )
  return { outcome: outcome ?? 'error', detail: [...new Set(details)].join('; ') }
}
