import { COMMANDS, type CommandName, type ParamsOf } from '#shared/commands.ts'
import { CANCELLED, conflict, ServiceError } from '#shared/errors.ts'
import type { Command, Progress, Step } from '../commands/command.ts'
import type { Host } from '../host/ports.ts'
import { Operation } from './operation.ts'
import type { CommandTable } from './runner.ts'
import { begunSteps, finishing, isDecided, undoSteps } from './steps.ts'
import type { JournalEntry, OperationStore, Request } from './store.ts'

const DAY_MS = 24 * 3_600_000
const KEEP_MS = 30 * DAY_MS

/**
 * What the process before this one left without an end gets it: `complete` when all of it is there,
 * otherwise what its journal says was begun is undone, and an `error` event. Operations that ended more than 30 days ago are removed.
 */
export async function recover(host: Host, commands: CommandTable, store: OperationStore) {
  for (const id of await store.ids()) {
    const request = await store.request(id)
    if (request) await take(host, commands, store, request)
    else if (isOld(host, (await store.cancelledAt(id)) ?? 0)) await store.remove(id)
  }
}

async function take(host: Host, commands: CommandTable, store: OperationStore, request: Request) {
  const { id, command, created_at } = request
  const operation = new Operation(id, request.fingerprint, store, await store.events(id))
  if (operation.ended) {
    if (isOld(host, created_at)) await store.remove(id)
    return
  }
  const goesOn = commands[command].resume && created_at > host.clock.now() - DAY_MS
  if (!goesOn) await settle(host, commands, store, request, operation)
}

const isOld = (host: Host, at: number) => at < host.clock.now() - KEEP_MS

async function settle(
  host: Host,
  commands: CommandTable,
  store: OperationStore,
  request: Request,
  operation: Operation,
): Promise<void> {
  await store.mend(request.id)
  const plan = () => planOf(commands, request.command, request.params, host)
  const { finished, steps } = await plan()
  const begun = begunSteps(steps, await store.journal(request.id))
  const write = (entry: JournalEntry) => store.addEntry(request.id, entry)
  if (await isDecided(begun)) {
    await operation.log('The agent was restarted; going on, since there is no way back')
    const reason = await told(operation, finishing(steps, write))
    const outcome = (await plan()).finished
    if (outcome) return operation.complete({ ...outcome })
    const message = `The agent was restarted in the middle of the operation; ${reason}`
    return operation.fail(new ServiceError('internal', { message }))
  }
  if (finished) {
    await operation.log('The agent was restarted; everything that was asked for is there')
    return operation.complete({ ...finished })
  }
  await operation.log('The agent was restarted; undoing what was begun')
  const left = await told(operation, undoSteps(begun, write))
  const rest = left.length > 0 ? `; could not undo: ${left.join('; ')}` : ''
  const cancelled = (await store.cancelledAt(request.id)) !== undefined
  if (cancelled) return operation.fail(conflict(`${CANCELLED}${rest}`))
  const message = `The agent was restarted in the middle of the operation${rest}`
  await operation.fail(new ServiceError('internal', { message }))
}

/** The lines of the work become events of the operation. */
async function told<T>(operation: Operation, work: Progress<T>): Promise<T> {
  let next = await work.next()
  while (!next.done) {
    await operation.log(next.value)
    next = await work.next()
  }
  return next.value
}

/** What the command says of its operation now: whether it is finished, and the steps that it has. */
async function planOf<N extends CommandName>(
  commands: CommandTable,
  name: N,
  params: unknown,
  host: Host,
): Promise<{ finished: object | undefined; steps: readonly Step[] }> {
  const command: Command<N> = commands[name]
  const parsed = COMMANDS[name].params.safeParse(params)
  if (!parsed.success) return { finished: undefined, steps: [] }
  // The table ties the schema to the command by name, which the compiler cannot follow here.
  const checked = parsed.data as ParamsOf<N>
  return {
    finished: await command.finished?.(checked, host),
    steps: (await command.steps?.(checked, host)) ?? [],
  }
}
