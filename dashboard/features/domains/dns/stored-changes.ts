import { z } from 'zod'
import { RECORD_TYPES } from '#shared/domains/dns-choice.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { NameChange } from './read-changes.ts'

const NewRecord = z.object({
  type: z.enum(RECORD_TYPES),
  content: z.string(),
  proxied: z.boolean(),
  ttl: z.number(),
})
const PresentRecords = z.array(NewRecord.extend({ id: z.string() }))
const StoredChanges = z.array(
  z.object({
    name: z.string(),
    account_id: z.number(),
    account: z.string(),
    zone_id: z.string(),
    zone: z.string(),
    change: z.object({ keep: PresentRecords, remove: PresentRecords, create: z.array(NewRecord) }),
  }),
)

type Params = Record<string, unknown>

export const changesIn = ({ dns }: Params): NameChange[] =>
  dns === undefined ? [] : StoredChanges.parse(dns)

export const storedChanges = (changes: NameChange[]): { dns?: NameChange[] } =>
  changes.length > 0 ? { dns: changes } : {}

/** Returns the params without the changes of records, which the agent does not get. */
export const withoutRecords = ({ dns: _, ...params }: Params): Params => params

/** Returns the step of the dashboard, before those of the agent. */
export function recordsStep(params: Params): Plan['steps'][number] | undefined {
  const changes = changesIn(params)
  if (changes.length === 0) return undefined
  const effects = (['remove', 'create'] as const).flatMap((action) =>
    changes.flatMap(({ name, account, change }) =>
      change[action].map(({ type, content, proxied }) => ({
        action,
        kind: 'record',
        name: `${type} ${name} → ${content}${proxied ? ' (proxied)' : ''} in ${account}`,
      })),
    ),
  )
  return {
    name: 'dns_records',
    title: 'Changing DNS records at Cloudflare',
    effects,
    notes: ['They are restored if the operation fails.'],
  }
}
