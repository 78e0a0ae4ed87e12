import type { StoredEvent } from '#shared/kernel/sse.ts'
import { StepChange } from '#shared/kernel/steps.ts'

export type StepState =
  | StepChange['state']
  /** Done, but its result is missing. */
  | 'warned'
  /** Ended because somebody cancelled the operation. */
  | 'cancelled'

export interface Step extends Omit<StepChange, 'state'> {
  state: StepState
}

interface Known {
  /** How the operation ended, when it has. */
  end?: 'success' | 'failed' | 'cancelled' | undefined
  /** A cancel request is running. */
  cancels?: boolean
  /** The codes of its warnings. */
  warned?: readonly string[] | undefined
}

/** The steps in the order in which they became known, each in the state that was reported last. */
export function stepsOf(
  events: readonly StoredEvent[],
  { end, cancels = false, warned = [] }: Known,
): Step[] {
  const steps = new Map<string, Step>()
  for (const { event, data } of events) {
    const change = event === 'step' ? StepChange.safeParse(data).data : undefined
    if (change) steps.set(change.name, change)
  }
  const isCancelled = end === undefined ? cancels : end === 'cancelled'
  const lacksCertificate = warned.some((code) => code.startsWith('certificate_'))
  return Array.from(steps.values(), (step) => {
    const state = end === undefined ? step.state : stateAtEnd(step.state)
    if (state === 'failed' && isCancelled) return { ...step, state: 'cancelled' }
    if (state === 'done' && lacksCertificate && step.name === CERTIFICATE)
      return { ...step, state: 'warned' }
    return { ...step, state }
  })
}

/** The step that requests a certificate. */
const CERTIFICATE = 'certificate'

/** Where the dashboard ended an operation, its agent reported no end of its steps. */
function stateAtEnd(state: StepState): StepState {
  if (state === 'running') return 'failed'
  return state === 'undoing' ? 'not_undone' : state
}

/** How many steps have ended, with any result. */
export const countEnded = (steps: readonly Step[]): number =>
  steps.filter(({ state }) => state !== 'waiting' && state !== 'running').length
