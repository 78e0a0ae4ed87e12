import { FRESH_MS } from '#dashboard/features/health/site-health.ts'
import type { alerts } from '#dashboard/kernel/db/alerts-schema.ts'
import {
  type Attention,
  type AttentionItem,
  type AttentionKind,
  SHOWN,
} from '#shared/overview/api/attention.ts'

export type Alert = typeof alerts.$inferSelect

/** The part of the overview that decides which alerts there are. */
export interface AlertInput {
  attention: readonly Attention[]
  servers: readonly { id: number; status: string; metrics_age: number | null }[]
}

export interface Decision {
  /** All alerts from now on, without those that were never mailed and are over. */
  current: Alert[]
  begun: Alert[]
  /** The alerts whose end is to be mailed now; they are still among the current ones. */
  ended: Alert[]
}

/** How long an item must be one before it is mailed, so that what has one cause is one message. */
export const BEGIN_DELAY_MS = 30_000
/** How long an item must be over, so that one that comes and goes is one alert. */
export const END_DELAY_MS = 60_000

interface AlertMoment {
  now: Date
  silent: ReadonlySet<number>
}

/**
 * Decides which begins and ends of critical items are mailed. An alert continues while its item is less
 * severe, and while its server does not answer, because nothing is known then.
 */
export function decide(stored: readonly Alert[], seen: AlertInput, now: Date): Decision {
  const groups = new Map(seen.attention.map((group) => [group.kind, group]))
  const alertsOf = Map.groupBy(stored, ({ kind }) => kind)
  const silent = seen.servers.filter(
    ({ status, metrics_age }) => status === 'offline' || (metrics_age ?? 0) * 1000 >= FRESH_MS,
  )
  const moment = { now, silent: new Set(silent.map(({ id }) => id)) }
  const kinds = [...new Set([...groups.keys(), ...alertsOf.keys()])]
  const parts = kinds.map((kind) => decideKind(alertsOf.get(kind) ?? [], groups.get(kind), moment))
  return {
    current: parts.flatMap(({ current }) => current),
    begun: parts.flatMap(({ begun }) => begun),
    ended: parts.flatMap(({ ended }) => ended),
  }
}

/**
 * Decides about the alerts of one kind. A kind with more critical items than the overview shows is
 * one alert, because the others are not known. When all of its items are shown again, those that
 * are left continue as alerts that were mailed.
 */
function decideKind(
  stored: readonly Alert[],
  group: Attention | undefined,
  moment: AlertMoment,
): Decision {
  const problems = group ? problemsOf(group) : []
  const whole = stored.find(isWhole)
  const known = stored.filter((alert) => !isWhole(alert))
  const single = known.map((alert) => (isJoined(alert) ? continued(alert, known, problems) : alert))
  if (group && isTruncated(group))
    return followProblems(whole ? [whole] : [], [wholeOf(group)], moment)
  if (!whole || whole.mailed_at === null) return followProblems(single, problems, moment)
  if (problems.length === 0 && moment.silent.size > 0)
    return { current: [{ ...whole, gone_at: null }], begun: [], ended: [] }
  const end = followProblems([whole], [], moment)
  if (end.ended.length === 0) return end
  const { mailed_at, message_id } = whole
  const rest = followProblems(single, problems, moment).current
  return {
    ...end,
    current: [...end.current, ...rest.map((one) => ({ ...one, mailed_at, message_id }))],
  }
}

/** The kinds with one item for several sites of a server, which is that of the site if it is alone. */
const JOINED: readonly AttentionKind[] = ['backup_late', 'mail']

const isJoined = ({ kind }: Alert) => JOINED.includes(kind)

/** Returns the alert under the key of the item that has taken its place: neither ends nor begins. */
function continued(alert: Alert, known: readonly Alert[], problems: readonly Problem[]): Alert {
  const has = (key: string, all: readonly { key: string }[]) => all.some((one) => one.key === key)
  if (has(alert.key, problems)) return alert
  const next = problems.find(
    ({ key, server_id, site_id }) =>
      server_id === alert.server_id &&
      (site_id === null) !== (alert.site_id === null) &&
      !has(key, known),
  )
  return next ? { ...alert, key: next.key } : alert
}

/** The fields of an alert that its item decides. */
type Problem = Omit<Alert, 'since' | 'mailed_at' | 'message_id' | 'gone_at'> & {
  is_critical: boolean
}

function followProblems(
  stored: readonly Alert[],
  problems: readonly Problem[],
  moment: AlertMoment,
): Decision {
  const { now, silent } = moment
  const at = now.toISOString()
  const known = new Map(stored.map((alert) => [alert.key, alert]))
  const going = problems.flatMap(({ is_critical, ...facts }): Alert[] => {
    const before = known.get(facts.key)
    if (!before && !is_critical) return []
    const begin = { since: at, mailed_at: null, message_id: null }
    return [{ ...begin, ...before, ...facts, gone_at: null }]
  })
  const present = new Set(going.map(({ key }) => key))
  const leaving = stored
    .filter(({ key, mailed_at }) => mailed_at !== null && !present.has(key))
    .map((alert) => {
      const isUnknown = alert.server_id !== null && silent.has(alert.server_id)
      return { ...alert, gone_at: isUnknown ? null : (alert.gone_at ?? at) }
    })
  return {
    current: [...going, ...leaving],
    begun: going.filter((one) => one.mailed_at === null && isOver(one.since, BEGIN_DELAY_MS, now)),
    ended: leaving.filter(({ gone_at }) => gone_at !== null && isOver(gone_at, END_DELAY_MS, now)),
  }
}

/** Whether so much time has passed; a time in the future is that of a clock set back since. */
function isOver(since: string, ms: number, now: Date): boolean {
  const elapsed = now.getTime() - Date.parse(since)
  return elapsed >= ms || elapsed < 0
}

const WHOLE_SUFFIX = ' all'

export const isWhole = ({ key }: Pick<Alert, 'key'>): boolean => key.endsWith(WHOLE_SUFFIX)

const isCritical = ({ severity }: AttentionItem) => severity === 'critical'

const isTruncated = ({ items, total }: Attention): boolean =>
  items.length >= SHOWN && total > items.length && items.every(isCritical)

function wholeOf({ kind, total, items: [first] }: Attention): Problem {
  const reason = `${total} in all, such as ${first?.name}: ${first?.reason}`
  const nowhere = { server_id: null, site_id: null, name: '' }
  return { key: kind + WHOLE_SUFFIX, kind, ...nowhere, reason, is_critical: true }
}

/** Returns the problems of a kind, one for several items that are the same for the reader. */
function problemsOf({ kind, items }: Attention): Problem[] {
  const found = new Map<string, Problem>()
  for (const item of items) {
    const { server_id, site_id, name, reason } = item
    const key = [kind, server_id ?? '-', site_id ?? '-', subjectOf(kind, item)].join(' ').trim()
    const facts = { key, kind, server_id, site_id, name, reason, is_critical: isCritical(item) }
    if (!found.has(key)) found.set(key, facts)
  }
  return [...found.values()]
}

/** Tells the items of one server or site of this kind apart; a reason has numbers that change. */
function subjectOf(kind: AttentionKind, item: AttentionItem): string {
  if (kind === 'operation_failed') return item.operation_id ?? ''
  return item.server_id === null && item.site_id === null ? item.name : item.subject
}
