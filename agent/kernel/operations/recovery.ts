import type { Host } from '#agent/kernel/host/ports.ts'
import type { Command, Progress } from '#agent/kernel/steps/command.ts'
import type { CommandName, ParamsOf, ResultOf } from '#shared/commands.ts'
import { contractOf } from '#shared/contracts.ts'
import { cancelledError, notUndone, ServiceError } from '#shared/kernel/errors.ts'
import type { Session } from './cancellable-host.ts'
import type { Execution } from './execution.ts'
import type { JournalEntry, Request } from './records.ts'
import { finishing, isDecided, startedSteps, undoSteps } from './steps.ts'

const DAY_MS = 24 * 3_600_000
const POLL_MS = 100

/** The operations that the previous process did not end. */
export interface Left {
  request: Request
  journal: readonly JournalEntry[]
  cancelled: boolean
}

interface Means {
  host: Host
  execution: Execution
}

/**
 * Ends an operation after a restart: resumes one that can, completes one past its point of no
 * return or with an existing outcome, and undoes the started steps of others. Before that it ends
 * all programs of the previous process.
 */
export async function* recovered<N extends CommandName>(
  command: Command<N>,
  left: Left,
  { host, execution }: Means,
): Progress<object> {
  const { request } = left
  const contract = await contractOf(request.command)
  const parsed = contract.params.safeParse(request.params)
  // The table ties the schema to the command by name, which the compiler cannot follow here.
  const params = parsed.data as ParamsOf<N>
  execution.states.restarted(left.journal)
  yield* untilPackagesAreDone(host, execution.session, request.id)
  const recent = request.created_at > host.clock.now() - DAY_MS
  if (command.resume && recent && !left.cancelled) {
    await execution.session.alone()
    return yield* command.resume(params, execution.context)
  }
  await execution.session.undoing()
  const finished = async () =>
    parsed.success ? command.finished?.(params, host, request.created_at) : undefined
  const warned = async function* (outcome: ResultOf<N>): Progress<object> {
    for (const warning of (await command.missing?.(params, host)) ?? []) {
      yield `Warning: ${warning.message}`
      execution.context.warn(warning)
    }
    return outcome
  }
  const steps = (parsed.success && (await command.steps?.(params, host))) || []
  const started = startedSteps(steps, left.journal)
  if (await isDecided(started)) {
    yield 'The agent was restarted; continuing past the point of no return'
    const reason = yield* finishing(steps, execution.journal)
    const outcome = await finished()
    if (outcome) return yield* warned(outcome)
    throw interrupted(`; ${reason}`)
  }
  // An outcome that exists before the operation reached it belongs to another one.
  const outcome = steps.some(({ decided }) => decided) ? undefined : await finished()
  if (outcome) {
    yield 'The agent was restarted; the operation is already complete'
    return yield* warned(outcome)
  }
  yield 'The agent was restarted; undoing the started steps'
  execution.states.interrupted()
  const remains = yield* undoSteps(started, execution.journal)
  const cause = left.cancelled ? cancelledError() : interrupted('')
  throw remains.length > 0 ? notUndone(cause, remains) : cause
}

function interrupted(rest: string): ServiceError {
  const message = `The agent was restarted in the middle of the operation${rest}`
  return new ServiceError('internal', { message, refusal: 'interrupted' })
}

/** A restart never interrupts dpkg: it continues without the agent. */
async function* untilPackagesAreDone(host: Host, session: Session, id: string): Progress<void> {
  if ((await host.programs.lasting(id)) === 0) return
  yield 'The agent was restarted; waiting for the installation of packages to end'
  while ((await host.programs.lasting(id)) > 0) await session.host.clock.sleep(POLL_MS)
}
