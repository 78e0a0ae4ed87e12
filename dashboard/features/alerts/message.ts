import { createHash } from 'node:crypto'
import type { AttentionKind } from '#shared/overview/api/attention.ts'
import { ATTENTION_NAMES } from '#shared/overview/attention-names.ts'
import { type Alert, isWhole } from './decide.ts'
import type { Message } from './mailer.ts'

/** The address of this dashboard, to which a message leads; undefined without a PUBLIC_URL. */
type PublicUrl = string | undefined

/** A problem, and those that probably follow from it. */
interface Cause {
  alert: Alert
  effects: Alert[]
}

/** The kinds of a server that its sites suffer from, and those of the sites. */
const SERVER_KINDS: ReadonlySet<AttentionKind> = new Set([
  'server_offline',
  'disk_full',
  'service_failed',
])
const SITE_KINDS: ReadonlySet<AttentionKind> = new Set([
  'site_down',
  'site_failed',
  'site_degraded',
])

/** Makes the message about alerts that have begun; `current` are all, which tell the causes. */
export function begunMessage(
  begun: readonly Alert[],
  current: readonly Alert[],
  public_url: PublicUrl,
): Omit<Message, 'to'> {
  const parts = causesOf(begun, current).map(({ alert, effects }) => {
    const lines = effects.map(itemOf)
    const more = lines.length > 0 ? ['', '  Probably for this reason:', ...lines] : []
    const link = linkOf(alert, public_url)
    return [...headOf(alert), ...(link ? [`  ${link}`] : []), ...more].join('\n')
  })
  const text = [...parts, footerOf(public_url)].join('\n\n')
  return {
    subject: oneLine(`Critical: ${summaryOf(begun)}`, MAX_SUBJECT),
    text: `${text}\n`,
    id: messageIdOf('begin', begun),
  }
}

/** Makes the message about alerts that have ended, as an answer to those about their begin. */
export function endedMessage(
  ended: readonly Alert[],
  current: readonly Alert[],
  public_url: PublicUrl,
): Omit<Message, 'to'> {
  const parts = ended.map((alert) => {
    const rest = isWhole(alert) ? current.filter((one) => isRestOf(one, alert)) : []
    const still = rest.map(itemOf)
    const left = still.length > 0 ? ['  These are left:', ...still] : []
    const since = `  from ${shortTime(alert.since)} to ${shortTime(alert.gone_at ?? alert.since)}`
    return [titleOf(alert), since, ...left].join('\n')
  })
  const text = [...parts, footerOf(public_url)].join('\n\n')
  return {
    subject: oneLine(`Ended: ${summaryOf(ended)}`, MAX_SUBJECT),
    text: `${text}\n`,
    id: messageIdOf('end', ended),
    references: [...new Set(ended.flatMap(({ message_id }) => message_id ?? []))],
  }
}

export const TEST_MESSAGE = {
  subject: 'Test message',
  text: 'This is a test message of Hosting Control. Critical items of the overview are sent to this address in the same way.\n',
}

const isRestOf = (one: Alert, whole: Alert) => one.kind === whole.kind && !isWhole(one)

/** Groups alerts by cause: one of a server takes those of its sites along, also mailed ones. */
function causesOf(begun: readonly Alert[], current: readonly Alert[]): Cause[] {
  const causes = current.filter(
    ({ kind, server_id }) => server_id !== null && SERVER_KINDS.has(kind),
  )
  const reasonFor = ({ kind, server_id }: Alert) =>
    SITE_KINDS.has(kind) ? causes.find((cause) => cause.server_id === server_id) : undefined
  const found = new Map<string, Cause>()
  const causeOf = (alert: Alert): Cause => {
    const cause = found.get(alert.key) ?? { alert, effects: [] }
    found.set(alert.key, cause)
    return cause
  }
  for (const alert of begun) {
    const reason = reasonFor(alert)
    if (reason) causeOf(reason).effects.push(alert)
    else causeOf(alert)
  }
  return [...found.values()]
}

const headOf = (alert: Alert): string[] => [titleOf(alert), `  ${oneLine(alert.reason)}`]

function titleOf(alert: Alert): string {
  const [one, many] = ATTENTION_NAMES[alert.kind]
  return isWhole(alert) ? `Many ${many}` : `${oneLine(alert.name)}: ${one}`
}

/** Writes the alerts in one sentence, such as `1 server is offline, 4 sites are down`. */
function summaryOf(alerts: readonly Alert[]): string {
  const kinds = Map.groupBy(alerts, ({ kind }) => kind)
  return [...kinds]
    .map(([kind, some]) => {
      const [one, many] = ATTENTION_NAMES[kind]
      if (some.some(isWhole)) return `many ${many}`
      return some.length === 1 ? `${some[0]?.name}: ${one}` : `${some.length} ${many}`
    })
    .join(', ')
}

function linkOf({ server_id, site_id }: Alert, public_url: PublicUrl): string | undefined {
  if (public_url === undefined || server_id === null) return undefined
  const path = site_id === null ? `/servers/${server_id}` : `/sites/${site_id}`
  return new URL(path, public_url).href
}

function footerOf(public_url: PublicUrl): string {
  const where = public_url === undefined ? '' : ` ${new URL('/', public_url).href}`
  return `Hosting Control sends this because email notifications are on in its settings.${where}`
}

/** Writes a time as `2026-03-01 09:30 UTC`. */
const shortTime = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`

const MAX_SUBJECT = 150
const MAX_REASON = 500

/** Makes one line of a name or reason of a server, which must not look like another part. */
function oneLine(text: string, max = MAX_REASON): string {
  const one = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  return one.length > max ? `${one.slice(0, max - 1)}…` : one
}

/** Writes an alert as `  - shop.example: PHP does not answer`. */
const itemOf = ({ name, reason }: Alert): string => `  - ${oneLine(name)}: ${oneLine(reason)}`

/** Returns the id of a message: the same for the same alerts, so that a copy is recognised. */
function messageIdOf(what: string, alerts: readonly Alert[]): string {
  const facts = alerts.map(({ key, since }) => `${key} ${since}`).sort()
  return createHash('sha256')
    .update([what, ...facts].join('\n'))
    .digest('hex')
    .slice(0, 32)
}
