import type { IsolationOutcome } from '#shared/isolation/isolation.ts'
import type { Scene } from './scene.ts'

export interface Verdict {
  outcome: IsolationOutcome
  /** The observation, or why it does not apply; may be empty. */
  detail: string
}

/** Where code of a site runs: behind nginx, in its WordPress jobs, its cron jobs, and in a shell. */
export const CONTEXTS = ['php', 'job', 'cron', 'shell'] as const
export type Context = (typeof CONTEXTS)[number]

interface Facts {
  severity: 'critical' | 'high' | 'medium' | 'low'
  /** The attempt, in the imperative. */
  title: string
  /** The consequence of a success. */
  meaning: string
}

/**
 * Runs inside the attacker. `code` is the body of a PHP function that receives the knowledge of the
 * attacker as `$n` (`Knowledge`) and returns a verdict of scripts.ts.
 */
export interface InsideAttack extends Facts {
  /** Default: all. */
  contexts?: readonly Context[]
  code: string
}

/** Needs both sides: the agent, or a visitor, takes part in it. */
export interface SceneAttack extends Facts {
  attempt(scene: Scene): Promise<Verdict>
}

export type Attack = InsideAttack | SceneAttack

export const refused = (detail = ''): Verdict => ({ outcome: 'refused', detail })
export const succeeded = (detail: string): Verdict => ({ outcome: 'succeeded', detail })
export const notApplicable = (detail: string): Verdict => ({ outcome: 'not_applicable', detail })
export const failed = (detail: string): Verdict => ({ outcome: 'error', detail })

const WORST_FIRST: readonly IsolationOutcome[] = ['succeeded', 'error', 'refused', 'not_applicable']
const CONTEXT_NAMES: Record<Context, string> = {
  php: 'from PHP',
  job: 'from a job',
  cron: 'from a cron job',
  shell: 'from a shell',
}

/** The worst verdict of several contexts, with its context. */
export function worstOf(verdicts: readonly (readonly [Context, Verdict])[]): Verdict {
  const outcome = WORST_FIRST.find((one) => verdicts.some(([, verdict]) => verdict.outcome === one))
  const of = verdicts.filter(([, verdict]) => verdict.outcome === outcome)
  const explained = of.filter(([, { detail }]) => detail !== '')
  const details = explained.map(([context, { detail }]) =>
    outcome === 'not_applicable' ? detail : `${CONTEXT_NAMES[context]}: ${detail}`,
  )
  return { outcome: outcome ?? 'error', detail: [...new Set(details)].join('; ') }
}
