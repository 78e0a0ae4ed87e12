import type { listIsolation } from '#dashboard/features/servers/isolation/queries.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { Attention, AttentionItem } from '#shared/overview/api/attention.ts'
import { counted, groupOf, ofServer } from './item.ts'

type Checked = Awaited<ReturnType<typeof listIsolation>>[number]

const STALE_MS = 21 * 24 * 3600_000
const MAX_NAMED = 2

/** Servers without isolation between sites, and those without a recent check. */
export function isolationTroubles(rows: readonly Checked[], now: Date): Attention[] {
  const found = rows.flatMap((row) => breached(row) ?? failing(row) ?? unchecked(row, now) ?? [])
  return groupOf('isolation', found)
}

function breached({ succeeded, checked_at, ...server }: Checked): AttentionItem | undefined {
  if (succeeded.length === 0) return undefined
  const named = succeeded.slice(0, MAX_NAMED).map((title) => `“${title}”`)
  const more = succeeded.length - named.length
  const list = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(' and ')
  const attacks = counted(succeeded.length, 'attack')
  const reason = `${attacks} of one site on another succeeded (${list}): its page says what to correct`
  return ofServer(server, { severity: 'critical', reason, at: checked_at })
}

function failing({ failures, reason: why, failed_at, ...server }: Checked) {
  if (failures < 2) return undefined
  const cause = why.replace(/[\s.:]+$/, '') || 'no reason was given'
  const reason = `The isolation check could not run ${failures} times in a row (${cause}): correct the cause, then start it`
  return ofServer(server, { severity: 'warning', reason, at: failed_at })
}

/** An offline one is reported as that. */
function unchecked(row: Checked, now: Date): AttentionItem | undefined {
  const { status, has_sites, checked_at, created_at } = row
  if (status !== 'online' || !has_sites) return undefined
  if (!isDue(checked_at ?? created_at, STALE_MS, now)) return undefined
  const since = checked_at === null ? 'never' : `last on ${checked_at.slice(0, 10)}`
  const reason = `The isolation of its sites was checked ${since}: start a check`
  return ofServer(row, { severity: 'warning', reason, at: checked_at })
}
