import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import type { DnsChoice, ShownRecord } from '#shared/domains/dns-choice.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { DnsDeps } from './accounts.ts'
import { isSame } from './apply-change.ts'
import { type NameChange, readChanges } from './read-changes.ts'

type TargetServer = Pick<ServerRow, 'name' | 'hostname'>

/**
 * Returns the changes of the names of a site: the missing records, and those that were shown and
 * are to be replaced. Throws conflict if a zone has changed since, with the message of Cloudflare
 * if it refuses.
 */
export async function chosenChanges(
  deps: Pick<DnsDeps, 'db' | 'sealer' | 'rules'>,
  server: TargetServer,
  names: readonly string[],
  choice: DnsChoice | undefined,
): Promise<NameChange[]> {
  if (!choice) return []
  const found = await readChanges(deps, server, names)
  const known = new Set(found.map(({ name }) => name))
  for (const { name } of choice.replace)
    if (!known.has(name)) throw conflict(`No DNS account has the records of ${name}`)
  return found.filter((one) => isChosen(one, choice.replace))
}

function isChosen(one: NameChange, replaced: readonly ShownRecord[]): boolean {
  const { create, remove } = one.change
  const isWanted = refuseChanged(one, replaced)
  return create.length + remove.length > 0 && (remove.length === 0 || isWanted)
}

/** Whether records are to be replaced. Throws conflict if they are not those shown. */
export function refuseChanged(
  { name, change }: Pick<NameChange, 'name' | 'change'>,
  replaced: readonly ShownRecord[],
): boolean {
  const shown = replaced.filter((record) => record.name === name)
  if (shown.length === 0) return false
  const isShown = change.remove.every((each) => shown.some((record) => isSame(record, each)))
  if (isShown && shown.length === change.remove.length) return true
  const now = change.remove.map(({ type, content }) => `${type} ${content}`).join(', ')
  const state = now === '' ? 'none of them points elsewhere now' : `now it has ${now}`
  throw conflict(
    `The DNS records of ${name} have changed since they were shown: ${state}. Review them again`,
    'changed_meanwhile',
  )
}
