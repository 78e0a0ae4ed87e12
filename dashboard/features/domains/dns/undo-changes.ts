import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { accessTo } from './accounts.ts'
import { isSame } from './apply-change.ts'
import type { ChangeRecordsDeps } from './change-records.ts'
import { endUndo, isOpen, listUndo } from './changes.queries.ts'
import { createRecord, readRecords, removeRecord } from './cloudflare.ts'
import { dnsEntry } from './dns-activity.ts'
import { findAccount, insertEntry } from './queries.ts'
import type { NameChange } from './read-changes.ts'
import { changesIn } from './stored-changes.ts'

/** The maximum of attempts, one in each minute. */
const MAX_TRIES = 60

type Deps = Omit<ChangeRecordsDeps, 'agents' | 'types' | 'bus' | 'dns_ms'>

/** Restores the records of failed operations, or of `only` one; it is repeated each minute. */
export async function undoRecords(deps: Deps, only?: { id: string }): Promise<void> {
  for (const { operation, tries } of await listUndo(deps.db, only?.id))
    await deps.records.run(operation.site_id ?? 0, async () => {
      if (await isOpen(deps.db, operation.id)) await undoOfOperation(deps, operation, tries)
    })
}

async function undoOfOperation(deps: Deps, operation: OperationRow, tries: number): Promise<void> {
  const { id, domain, server_id } = operation
  let failures = 0
  for (const one of changesIn(operation.params).reverse()) {
    const enter = (status: 'success' | 'failed') =>
      insertEntry(deps.db, {
        ...dnsEntry(deps.clock, reverseOf(one), { domain, server_id, status }),
        type: 'dns.records_undo',
      })
    try {
      if (await undoChange(deps, one)) await enter('success')
    } catch (error) {
      failures++
      deps.log.error('DNS records could not be restored', error, { operation_id: id })
      if (tries === 0) await enter('failed')
    }
  }
  await endUndo(deps.db, id, tries + 1, failures === 0 || tries + 1 >= MAX_TRIES)
}

const reverseOf = (one: NameChange): NameChange => {
  const { keep, remove, create } = one.change
  const gone = create.map((record) => ({ ...record, id: '' }))
  return { ...one, change: { keep, remove: gone, create: remove } }
}

/** Restores the records of a name, unless others have changed; false if they are as before. */
async function undoChange(deps: Deps, one: NameChange): Promise<boolean> {
  const { name, zone_id: zone, change } = one
  const account = await findAccount(deps.db, one.account_id)
  if (!account) throw new Error(`The DNS account ${one.account} does not exist any more`)
  const access = accessTo(account, deps)
  const present = await readRecords(access, zone, name)
  const known = [...change.keep, ...change.remove, ...change.create]
  const other = present.find((each) => !known.some((record) => isSame(record, each)))
  if (other)
    throw new Error(`${name} has got another record meanwhile: ${other.type} ${other.content}`)
  const created = present.filter((each) => change.create.some((record) => isSame(record, each)))
  const missing = change.remove.filter((each) => !present.some((record) => isSame(record, each)))
  for (const { id } of created) await removeRecord(access, zone, id)
  for (const { id: _, ...record } of missing) await createRecord(access, zone, { ...record, name })
  return created.length + missing.length > 0
}
