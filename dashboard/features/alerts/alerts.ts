import { isDeepStrictEqual } from 'node:util'
import { overview } from '#dashboard/features/overview/overview.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { DatabaseVersion } from '#dashboard/kernel/db/database-version.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { RecordProblem } from '#shared/kernel/api/activity-record.ts'
import { type Alert, type Decision, decide } from './decide.ts'
import type { Mailer, Message, SendResult } from './mailer.ts'
import { begunMessage, endedMessage } from './message.ts'
import { listAddresses, listAlerts, saveAlerts } from './queries.ts'

export const POLL_MS = 10_000
/** The interval at which items are found that begin or end by the time of day. */
const PENDING_POLL_MS = 60_000
const RETRY_MS = [1, 2, 5, 15].map((minutes) => minutes * 60_000)

interface Deps extends Pick<CommonDeps, 'db' | 'clock' | 'log'> {
  marks: Marks
  record: { readonly problem: RecordProblem | null }
  mailer: Mailer | undefined
  public_url: string | undefined
  off_site: boolean
}

export interface LastMail extends Pick<SendResult, 'accepted' | 'answer'> {
  at: string
}

/**
 * Mails the begin and the end of critical items of the overview. A message is sent again until the
 * server has accepted it; only then is that recorded.
 */
export class Alerts {
  /** The last message of this dashboard since its start, tests included. */
  last: LastMail | undefined
  readonly #deps: Deps
  #is_looking = false
  #known: { version: DatabaseVersion | undefined; at: number; is_pending: boolean } | undefined
  #failures = 0
  #retry_at = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Compares the alerts with the overview, unless the last call still sends its messages. */
  async look(): Promise<void> {
    if (this.#is_looking) return
    this.#is_looking = true
    try {
      await this.#look()
    } finally {
      this.#is_looking = false
    }
  }

  async #look(): Promise<void> {
    const { db, clock, mailer } = this.#deps
    const version = await db.version()
    if (!mailer || this.#isKnown(version)) return
    const { email_notifications } = await getSettings(db)
    const stored = await listAlerts(db)
    this.#known = { version, at: clock.elapsed(), is_pending: stored.some(isPending) }
    // What began before the setting was turned off may have ended unseen.
    if (!email_notifications) return this.#store(stored, [])
    const seen = await overview(this.#deps)
    const decision = decide(stored, seen, clock.now())
    this.#known.is_pending = decision.current.some(isPending)
    await this.#store(stored, decision.current)
    await this.#mail(mailer, decision)
  }

  async send(mailer: Mailer, message: Message): Promise<SendResult> {
    const { clock, log } = this.#deps
    const sent = await mailer.send(message)
    const { accepted, answer, refused } = sent
    this.last = { accepted, answer, at: timestamp(clock) }
    const facts = { answer, refused: refused.length }
    if (!accepted || refused.length > 0) log.info('mail of the dashboard was refused', facts)
    return sent
  }

  #isKnown(version: DatabaseVersion | undefined): boolean {
    const known = this.#known
    if (!known || known.is_pending || version === undefined) return false
    const age = this.#deps.clock.elapsed() - known.at
    return age < PENDING_POLL_MS && known.version === version
  }

  async #store(stored: readonly Alert[], current: readonly Alert[]): Promise<void> {
    const known = new Map(stored.map((alert) => [alert.key, alert]))
    const changed = current.filter((alert) => !isDeepStrictEqual(known.get(alert.key), alert))
    const keys = new Set(current.map(({ key }) => key))
    const deleted = stored.flatMap(({ key }) => (keys.has(key) ? [] : [key]))
    await saveAlerts(this.#deps.db, changed, deleted)
  }

  async #mail(mailer: Mailer, { current, begun, ended }: Decision): Promise<void> {
    const { db, clock, public_url } = this.#deps
    if (begun.length + ended.length === 0 || clock.elapsed() < this.#retry_at) return
    if (begun.length > 0) {
      const message = begunMessage(begun, current, public_url)
      if (!(await this.#sendToAll(mailer, message))) return
      const mailed = { mailed_at: timestamp(clock), message_id: message.id }
      await saveAlerts(
        db,
        begun.map((alert) => ({ ...alert, ...mailed })),
        [],
      )
    }
    if (ended.length === 0) return
    if (!(await this.#sendToAll(mailer, endedMessage(ended, current, public_url)))) return
    await saveAlerts(
      db,
      [],
      ended.map(({ key }) => key),
    )
  }

  async #sendToAll(mailer: Mailer, message: Omit<Message, 'to'>): Promise<boolean> {
    const { db, marks, clock } = this.#deps
    const to = await listAddresses(db, marks)
    const { accepted } = await this.send(mailer, { ...message, to })
    const wait_ms = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] ?? 0
    this.#failures = accepted ? 0 : this.#failures + 1
    this.#retry_at = accepted ? 0 : clock.elapsed() + wait_ms
    return accepted
  }
}

/** Whether an alert is about to begin or to end, which depends on the time of day alone. */
const isPending = ({ mailed_at, gone_at }: Alert): boolean => mailed_at === null || gone_at !== null
