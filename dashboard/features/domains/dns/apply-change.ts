import { messageOf } from '#shared/kernel/errors.ts'
import {
  type Account,
  CloudflareError,
  type CloudflareRecord,
  createRecord,
  type NewRecord,
  readRecords,
  removeRecord,
} from './cloudflare.ts'

const IDENTICAL = 81058

export interface DnsChange {
  keep: CloudflareRecord[]
  remove: CloudflareRecord[]
  create: Omit<CloudflareRecord, 'id'>[]
}

/** The former records could not be restored, and may be lost. */
export class NotRestored extends CloudflareError {}

export const isSame = (
  one: Pick<CloudflareRecord, 'type' | 'content'>,
  other: Pick<CloudflareRecord, 'type' | 'content'>,
): boolean => one.type === other.type && one.content === other.content

/**
 * Changes the records of a name. What was removed is created again if a step fails: a CNAME must go
 * before an address comes. A call whose answer is lost is undone, too, but may still take effect
 * later: then it throws NotRestored.
 */
export async function applyChange(
  access: Account,
  { zone, name, change }: { zone: string; name: string; change: DnsChange },
): Promise<void> {
  const former = [...change.keep, ...change.remove].map(({ id }) => id)
  const undo: (() => Promise<unknown>)[] = []
  try {
    for (const { id, ...record } of change.remove) {
      undo.unshift(() => restore(access, zone, { ...record, name }))
      await removeRecord(access, zone, id)
    }
    for (const record of change.create) {
      undo.unshift(() => withdraw(access, zone, { ...record, name }, former))
      await createRecord(access, zone, { ...record, name })
    }
  } catch (error) {
    const isRefused = error instanceof CloudflareError && error.refusal !== undefined
    if (isRefused) undo.shift()
    let isRestored = true
    for (const step of undo) isRestored = (await isDone(step)) && isRestored
    throw isRefused && isRestored ? error : notRestored(error, change, isRestored)
  }
}

async function restore(access: Account, zone: string, record: NewRecord): Promise<void> {
  const present = await readRecords(access, zone, record.name)
  if (present.some((each) => isSame(each, record))) return
  await createRecord(access, zone, record).catch((error: unknown) => {
    if (!(error instanceof CloudflareError) || error.refusal !== IDENTICAL) throw error
  })
}

/** Removes a record whose id is unknown if the answer to its creation was lost. */
async function withdraw(
  access: Account,
  zone: string,
  record: NewRecord,
  former: readonly string[],
): Promise<void> {
  for (const each of await readRecords(access, zone, record.name))
    if (isSame(each, record) && !former.includes(each.id)) await removeRecord(access, zone, each.id)
}

const isDone = (work: () => Promise<unknown>): Promise<boolean> =>
  work().then(
    () => true,
    () => false,
  )

function notRestored(error: unknown, { remove }: DnsChange, isRestored: boolean): NotRestored {
  const former = remove.map(({ type, content }) => `${type} ${content}`).join(', ')
  const rest = former === '' ? '' : `, which were ${former}`
  const state = isRestored
    ? 'It is not certain that the former records are restored'
    : 'The former records could not be restored'
  return new NotRestored(`${messageOf(error)}. ${state}${rest}: look at the zone`)
}
