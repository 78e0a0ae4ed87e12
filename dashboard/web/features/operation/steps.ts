export type StepState =
  | 'waiting'
  | 'running'
  | 'done'
  /** It is done, but what it was for is not there. */
  | 'warned'
  /** It was planned, and found to be done already. */
  | 'skipped'
  | 'failed'
  /** It was ended because somebody cancelled the operation. */
  | 'cancelled'
  | 'undoing'
  | 'undone'
  /** It could not be undone, and is left for a human. */
  | 'left'

export interface Step {
  title: string
  state: StepState
}

interface Told {
  lines: readonly string[]
  /** The titles of the steps that were planned, when they are known. */
  plan?: readonly string[] | undefined
  /** How it ended, when it has. */
  end?: 'success' | 'failed' | 'cancelled' | undefined
  /** Somebody has asked for its end. */
  cancels?: boolean
  /** The codes of its warnings. */
  warned?: readonly string[] | undefined
  /** What its `error` event says. */
  message?: string | undefined
}

const UNDOING = 'Undoing: '
/** The step of an agent that is about a certificate. */
const CERTIFICATE = /^(Certifying|Requesting a certificate for|Renewing the certificate of) /

/**
 * The steps that the log tells of. Each begins with a line that is its title; with a plan the ones to
 * come are known too, without one a line that says what is being done is taken for a title.
 */
export function stepsOf({ lines, plan, end, cancels = false, warned, message }: Told): Step[] {
  const steps: Step[] = (plan ?? []).map((title) => ({ title, state: 'waiting' }))
  for (const line of lines) {
    if (line.startsWith(UNDOING)) undo(steps, line.slice(UNDOING.length))
    else if (line.startsWith('Failed: ')) change(steps, 'running', 'failed')
    else if (plan) beginPlanned(steps, line)
    else if (isTitle(line)) beginSeen(steps, line)
  }
  if (end) conclude(steps, end, message)
  if (isCancelled({ end, cancels })) change(steps, 'failed', 'cancelled')
  warnOf(steps, warned)
  return steps
}

function warnOf(steps: readonly Step[], codes: readonly string[] = []): void {
  if (!codes.some((code) => code.startsWith('certificate_'))) return
  const step = steps.findLast(({ title }) => CERTIFICATE.test(title))
  if (step?.state === 'done') step.state = 'warned'
}

const isCancelled = ({ end, cancels = false }: Pick<Told, 'end' | 'cancels'>): boolean =>
  end === undefined ? cancels : end === 'cancelled'

/** How many of them are over, one way or another. */
export const countOver = (steps: readonly Step[]): number =>
  steps.filter(({ state }) => state !== 'waiting' && state !== 'running').length

/** `Copying WordPress`; not what a package manager says, which ends in full stops. */
const isTitle = (line: string): boolean => /^[A-Z][a-z]+ing .*[^.]$/s.test(line)

function beginPlanned(steps: Step[], line: string): void {
  const at = steps.findIndex(({ title, state }) => title === line && state === 'waiting')
  if (at < 0) return
  change(steps, 'running', 'done')
  change(steps.slice(0, at), 'waiting', 'skipped')
  change(steps.slice(at, at + 1), 'waiting', 'running')
}

function beginSeen(steps: Step[], title: string): void {
  change(steps, 'running', 'done')
  steps.push({ title, state: 'running' })
}

function undo(steps: Step[], title: string): void {
  change(steps, 'undoing', 'undone')
  change(steps, 'running', 'failed')
  const step = steps.findLast((each) => each.title === title && isBegun(each))
  if (step) step.state = 'undoing'
}

const isBegun = ({ state }: Step): boolean => state === 'done' || state === 'failed'

function conclude(steps: Step[], end: NonNullable<Told['end']>, message = ''): void {
  change(steps, 'undoing', 'undone')
  change(steps, 'running', end === 'success' ? 'done' : 'failed')
  if (end === 'success') change(steps, 'waiting', 'skipped')
  const [, left = ''] = message.split('could not undo: ')
  for (const step of steps)
    if (step.state === 'undone' && left.includes(`${step.title} (`)) step.state = 'left'
}

function change(steps: readonly Step[], from: StepState, to: StepState): void {
  for (const step of steps) if (step.state === from) step.state = to
}
