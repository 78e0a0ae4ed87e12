import { z } from 'zod'
import { failureBody } from '#dashboard/kernel/agents/agent-errors.ts'
import { ReceiveBudget, timeLimitExceeded } from '#dashboard/kernel/agents/output-limits.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { getSiteById } from '#dashboard/kernel/db/targets.ts'
import { sendCancelRequest } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import { type AttemptContext, errorOf } from '#dashboard/kernel/engine/operation-handle.ts'
import { type PartName, parseCommandResult } from '#dashboard/kernel/engine/parse-result.ts'
import { storeNote } from '#dashboard/kernel/engine/progress.queries.ts'
import type { RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import type { ResultOf } from '#shared/commands.ts'
import { messageOf, offline } from '#shared/kernel/errors.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import { isTerminal } from '#shared/kernel/sse.ts'
import { copiesOf, LeftCopies } from './move-row.ts'
import { findServer, isLost, lastRestoreOf } from './queries.ts'
import { recordTrashedCopy, resultUnlessGone, trashedCopyRow } from './trashed-copy.ts'

/** The copies of a move that a restore of its site removes: their servers, and the last operation. */
const StoredCopies = z.object({ server_ids: LeftCopies, operation_id: z.string() })
export type StoredCopies = z.infer<typeof StoredCopies>

type Deps = Pick<RulesDeps, 'db' | 'agents' | 'clock' | 'trash_ms'> &
  Pick<CommonDeps, 'bus' | 'longest_ms'>

/**
 * Returns the copies that an unfinished or unconfirmed move of a site may have left on other servers
 * than the lost one; `{}` without such. A restore that has failed knows them in place of the move,
 * whose record ends with its start.
 */
export async function copiesOfMove(
  { db }: Pick<Deps, 'db'>,
  site_id: number,
  lost_id: number,
): Promise<{ copies?: StoredCopies }> {
  const row = await findMove(db, site_id)
  if (!row) {
    const copies = copiesIn((await lastRestoreOf(db, site_id))?.params ?? {})
    return copies ? { copies } : {}
  }
  const server_ids = copiesOf(row).filter((id) => id !== lost_id)
  const { operation_id } = row
  return server_ids.length > 0 ? { copies: { server_ids, operation_id } } : {}
}

const copiesIn = ({ copies }: Record<string, unknown>): StoredCopies | undefined =>
  copies === undefined ? undefined : StoredCopies.parse(copies)

/** Returns the params without the copies, which the agent does not get. */
export const withoutCopies = ({ copies: _, ...params }: Record<string, unknown>) => params

interface RestoredSite {
  domain: string
  /** The server on which the site is restored. */
  server_id: number
}

/** Returns the steps of the removal, before those of the agent. */
export async function copySteps(
  { db }: Pick<Deps, 'db'>,
  params: Record<string, unknown>,
  { domain, server_id }: RestoredSite,
): Promise<Plan['steps']> {
  const steps: Plan['steps'] = []
  for (const id of copiesIn(params)?.server_ids ?? []) {
    const server = await findServer(db, id)
    if (!server || (await isLost(db, id))) continue
    const isPermanent = id === server_id
    steps.push({
      name: `copy_${id}`,
      title: titleOf(domain, server, isPermanent),
      effects: [{ action: 'remove', kind: 'site', name: domain }],
      notes: isPermanent
        ? ['The restore needs its names and its user. Its own steps are known after this one.']
        : ['It no longer forwards visitors to the lost server, and is restorable from the trash.'],
    })
  }
  return steps
}

const titleOf = (domain: string, { name }: ServerRow, isPermanent: boolean) =>
  `${isPermanent ? 'Deleting permanently' : 'Moving to the trash'} the copy of ${domain} that its move left on ${name}`

/** Whether the server on which the site is restored has a copy, so that its agent refuses a plan. */
export const isInTheWay = (params: Record<string, unknown>, server_id: number): boolean =>
  copiesIn(params)?.server_ids.includes(server_id) === true

/**
 * Removes the copies before the site is restored: permanently on the server on which that happens,
 * and to the trash elsewhere. Another server that does not answer keeps its copy. A repeated call
 * after an interruption continues.
 */
export async function removeCopiesOfMove(
  deps: Deps,
  operation: OperationRow,
  context: Pick<AttemptContext, 'signal'>,
): Promise<void> {
  const copies = copiesIn(operation.params)
  if (!copies || operation.sent_at !== null) return
  for (const id of copies.server_ids) {
    const server = await findServer(deps.db, id)
    if (!server) continue
    const copy = { operation, context, server, moved_by: copies.operation_id }
    if (id === operation.server_id) {
      await note(deps, copy, titleOf(operation.domain, server, true))
      await removeCopy(deps, copy)
    } else if (!(await isLost(deps.db, id))) await removeElsewhere(deps, copy)
  }
}

interface Copy {
  operation: OperationRow
  context: Pick<AttemptContext, 'signal'>
  server: ServerRow
  /** The operation of the move that has made it, and may still be making it. */
  moved_by: string
}

async function note(deps: Deps, { operation }: Copy, text: string): Promise<void> {
  await storeNote(deps.db, operation.id, text)
  deps.bus.notify(operation.id)
}

async function removeElsewhere(deps: Deps, copy: Copy): Promise<void> {
  const { operation, server, context } = copy
  try {
    if (server.status !== 'online') throw offline(`${server.name} is not online`)
    await trashCopy(deps, copy)
    const site = await getSiteById(deps.db, operation.site_id ?? 0)
    await recordTrashedCopy(deps.db, await trashedCopyRow({ deps, site }, server, undefined))
    await note(deps, copy, titleOf(operation.domain, server, false))
  } catch (error) {
    if (context.signal.aborted) throw error
    await note(deps, copy, `Warning: the copy on ${server.name} stays: ${messageOf(error)}`)
  }
}

async function removeCopy(deps: Deps, copy: Copy): Promise<void> {
  const { domain } = copy.operation
  if (!(await trashCopy(deps, copy))) return
  const params = { domain, confirm: domain, trashed_days: 0 }
  await resultUnlessGone(resultOf(deps, copy, { id: 'purge', command: 'site.purge', params }))
}

/** Moves a copy to the trash of its server, and nothing but a copy; returns whether there was one. */
async function trashCopy(deps: Deps, copy: Copy): Promise<boolean> {
  const { operation, server, moved_by } = copy
  const receiving = { id: `${moved_by}-receive`, cancel: 'forced' } as const
  await sendCancelRequest(deps, server, receiving)
  const params = { domain: operation.domain, copy: true }
  const deletion = { id: 'delete', command: 'site.delete', params } as const
  return (await resultUnlessGone(resultOf(deps, copy, deletion))) !== undefined
}

interface AgentCall<N extends PartName> {
  /** With the operation and the server it names one call, which never runs twice. */
  id: string
  command: N
  params: Record<string, unknown>
}

async function resultOf<N extends PartName>(
  { agents, longest_ms }: Deps,
  { operation, server, context }: Copy,
  { id, command, params }: AgentCall<N>,
): Promise<ResultOf<N>> {
  const events = await agents.stream(server, {
    path: '/exec?warnings=true',
    body: { command, params },
    operation_id: `${operation.id}-copy-${server.id}-${id}`,
    after: 0,
    signal: context.signal,
    allowance: new ReceiveBudget(),
    end: { ms: longest_ms, error: timeLimitExceeded },
  })
  for await (const event of events) {
    if (event.event === 'error') throw errorOf(failureBody(event.data))
    if (isTerminal(event)) return parseCommandResult(command, event.data, params)
  }
  throw offline('The connection to the agent was lost')
}
