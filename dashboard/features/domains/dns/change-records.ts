import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import type { AttemptContext } from '#dashboard/kernel/engine/operation-handle.ts'
import { storeNote } from '#dashboard/kernel/engine/progress.queries.ts'
import { type RulesTable, rulesOf } from '#dashboard/kernel/engine/rules.ts'
import type { KeyedQueue } from '#dashboard/kernel/runtime/limit.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { accessTo, type DnsDeps } from './accounts.ts'
import { applyChange, type DnsChange, isSame } from './apply-change.ts'
import { noteChanges } from './changes.queries.ts'
import { CloudflareError, type CloudflareRecord, readRecords } from './cloudflare.ts'
import { changeText, dnsEntry } from './dns-activity.ts'
import { findAccount, insertEntry } from './queries.ts'
import type { NameChange } from './read-changes.ts'
import { changesIn } from './stored-changes.ts'

export interface ChangeRecordsDeps extends DnsDeps, Pick<CommonDeps, 'bus' | 'log' | 'dns_ms'> {
  agents: Agents
  types: RulesTable
  /** The queue of the changes of the records of each site. */
  records: KeyedQueue<number>
}

/**
 * Changes the DNS records of an operation before it is sent, if its agent would take it. A repeated
 * call after an interruption continues. Throws conflict with the message of Cloudflare;
 * `undoRecords` follows.
 */
export async function runAfterRecords(
  deps: ChangeRecordsDeps,
  operation: OperationRow,
  { signal }: Pick<AttemptContext, 'signal'>,
): Promise<OperationRow> {
  const changes = changesIn(operation.params)
  if (changes.length === 0 || operation.sent_at !== null) return operation
  await checkWithAgent(deps, operation)
  const isChanged = await deps.records.run(operation.site_id ?? 0, () =>
    changeRecords(deps, operation, changes),
  )
  // Name servers and resolvers follow after some seconds.
  if (isChanged) await deps.clock.sleep(deps.dns_ms, signal)
  return operation
}

/**
 * Asks the agent for a plan, and throws its refusal, or that it is offline: DNS never points to a
 * server that refuses the operation.
 */
async function checkWithAgent(deps: ChangeRecordsDeps, operation: OperationRow): Promise<void> {
  const server = await getServer(deps.db, operation.server_id)
  const { type, params } = operation
  await deps.agents.plan(server, type, rulesOf(deps, type).sent(params, deps.sealer))
}

async function changeRecords(
  deps: ChangeRecordsDeps,
  operation: OperationRow,
  changes: readonly NameChange[],
): Promise<boolean> {
  const { domain, server_id, actor: user_id } = operation
  await noteChanges(deps.db, operation)
  let isChanged = false
  for (const one of changes) {
    if (!(await changeName(deps, one))) continue
    isChanged = true
    const whose = { domain, server_id, user_id, status: 'success' } as const
    await insertEntry(deps.db, dnsEntry(deps.clock, one, whose))
    await storeNote(deps.db, operation.id, `Changed DNS records: ${changeText(one)}`)
    deps.bus.notify(operation.id)
  }
  return isChanged
}

/** Changes the records of a name; returns false when an earlier attempt has done it. */
async function changeName(deps: ChangeRecordsDeps, one: NameChange): Promise<boolean> {
  const { name, zone_id: zone } = one
  const account = await findAccount(deps.db, one.account_id)
  if (!account) throw conflict(`The DNS account ${one.account} does not exist any more`)
  const access = accessTo(account, deps)
  try {
    const change = remainingChange(one, await readRecords(access, zone, name))
    if (change.remove.length + change.create.length === 0) return false
    await applyChange(access, { zone, name, change })
    return true
  } catch (error) {
    if (!(error instanceof CloudflareError)) throw error
    throw conflict(`The DNS records of ${name} could not be changed: ${error.message}`)
  }
}

/** Returns the remaining change. Throws conflict for other records than those shown. */
function remainingChange(
  { name, change }: NameChange,
  present: readonly CloudflareRecord[],
): DnsChange {
  const { remove, create } = change
  const known = [...change.keep, ...remove, ...create]
  const has =
    (list: readonly Pick<CloudflareRecord, 'type' | 'content'>[]) =>
    (each: Pick<CloudflareRecord, 'type' | 'content'>) =>
      list.some((one) => isSame(one, each))
  const others = present.filter((each) => !has(known)(each))
  if (others.length > 0) throw changedError(name, others)
  return {
    keep: present.filter((each) => !has(remove)(each)),
    remove: present.filter(has(remove)),
    create: create.filter((each) => !has(present)(each)),
  }
}

function changedError(name: string, others: readonly CloudflareRecord[]) {
  const now = others.map(({ type, content }) => `${type} ${content}`).join(', ')
  const message = `The DNS records of ${name} have changed since they were shown: now it has ${now}. Review them again`
  return conflict(message, 'changed_meanwhile')
}
