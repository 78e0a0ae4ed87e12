import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { NameChange } from './read-changes.ts'

/** Describes a change: `A shop.example → 203.0.113.4 in Cloudflare, replaces A 198.51.100.9`. */
export function changeText({ name, account, change }: NameChange): string {
  const created = change.create.map(({ type, content }) => `${type} ${name} → ${content}`)
  const former = change.remove.map(({ type, content }) => `${type} ${content}`)
  const what = created.length > 0 ? created.join(', ') : name
  const replaced = former.length > 0 ? `, replaces ${former.join(', ')}` : ''
  return `${what} in ${account}${replaced}`
}

type ActivitySubject = Pick<NewActivity, 'domain' | 'server_id' | 'user_id' | 'status'>

export const dnsEntry = (
  clock: Clock,
  change: NameChange,
  { type = 'dns.records', ...whose }: ActivitySubject & { type?: string },
): NewActivity => entryOf(clock, { type, ...whose, detail: changeText(change) })
