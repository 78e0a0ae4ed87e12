import { COMMANDS, type CommandName } from '#shared/commands.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Command } from '../commands/command.ts'
import type { Host } from '../host/ports.ts'
import { Operation } from './operation.ts'
import type { CommandTable } from './runner.ts'
import { begunSteps, undoSteps } from './steps.ts'
import type { OperationStore, Request } from './store.ts'

const KEEP_MS = 30 * 24 * 3_600_000

/**
 * What the process before this one left unfinished is undone as far as its journal says that it was
 * begun, and ends with an `error` event. Operations that ended more than 30 days ago are removed.
 */
export async function recover(host: Host, commands: CommandTable, store: OperationStore) {
  for (const id of await store.ids()) {
    const request = await store.request(id)
    if (!request) {
      await store.remove(id)
      continue
    }
    const operation = new Operation(id, request.fingerprint, store, await store.events(id))
    if (!operation.ended) await undo(host, commands, store, request, operation)
    else if (request.created_at < host.clock.now() - KEEP_MS) await store.remove(id)
  }
}

async function undo(
  host: Host,
  commands: CommandTable,
  store: OperationStore,
  request: Request,
  operation: Operation,
): Promise<void> {
  await operation.log('The agent was restarted; undoing what was begun')
  const steps = stepsOf(commands, request.command, request.params, host)
  const begun = begunSteps(steps, await store.journal(request.id))
  const work = undoSteps(begun, (entry) => store.addEntry(request.id, entry))
  let next = await work.next()
  while (!next.done) {
    await operation.log(next.value)
    next = await work.next()
  }
  const left = next.value.length > 0 ? `; could not undo: ${next.value.join('; ')}` : ''
  const message = `The agent was restarted in the middle of the operation${left}`
  await operation.fail(new ServiceError('internal', { message }))
}

function stepsOf<N extends CommandName>(
  commands: CommandTable,
  name: N,
  params: unknown,
  host: Host,
) {
  const command: Command<N> = commands[name]
  const parsed = COMMANDS[name].params.safeParse(params)
  // The table ties the schema to the command by name, which the compiler cannot follow here.
  if (!parsed.success || !command.steps) return []
  return command.steps(parsed.data as Parameters<NonNullable<Command<N>['steps']>>[0], host)
}
