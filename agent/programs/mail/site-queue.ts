import {
  type Catching,
  type Effective,
  effective,
  type Unset,
} from '#agent/features/mail/setting.ts'
import {
  GIVES_UP_AFTER,
  isDue,
  relayWaitAfter,
  type Schedule,
} from '#agent/kernel/mail/retry-schedule.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import type { MailCounts } from '#shared/mail/mail.ts'
import { Caught } from './caught.ts'
import { Counts } from './counts.ts'
import { Deliveries } from './deliveries.ts'
import { fullness } from './fullness.ts'
import { KnownIds } from './known-ids.ts'
import type { MailLog } from './log.ts'
import type { SettingFiles } from './setting-files.ts'
import { type Connection, connect, type SmtpOptions } from './smtp.ts'
import { statusOf } from './status.ts'
import type { StatusFile } from './status-file.ts'
import type { Store, Waiting } from './store.ts'

/** Messages on one connection before the next site has its turn. */
const MAX_CONCURRENT = 50

const DAMAGED = { answer: 'given up: its file in the queue is damaged', expired: true }

export interface QueueDeps {
  user: string
  store: Store
  /** For the kept messages of a staging site. */
  caught: Store
  settings: SettingFiles
  status: StatusFile
  log: MailLog
  schedule: Schedule
  now: () => number
  random: () => number
  smtp: SmtpOptions
}

type Kept = Pick<SiteQueue, 'counts' | 'caught'>

/** The mail of one site that waits for its relay. */
export class SiteQueue {
  readonly counts: Counts
  readonly caught: Caught
  readonly #deps: QueueDeps
  readonly #waiting: Map<string, Waiting>
  readonly #known: KnownIds
  /** The number of consecutive failures of the relay itself. */
  #failures = 0
  #relayAt = 0
  #problem: MailCounts['problem'] = null
  #held = false
  #busy = false

  private constructor(deps: QueueDeps, waiting: readonly Waiting[], { counts, caught }: Kept) {
    this.#deps = deps
    this.#waiting = new Map(waiting.map((message) => [message.id, message]))
    this.#known = new KnownIds(this.#waiting.keys())
    this.counts = counts
    this.caught = caught
  }

  static async open(deps: QueueDeps): Promise<SiteQueue> {
    const counts = new Counts(deps.now, await deps.status.read())
    const { waiting, damaged } = await deps.store.load()
    counts.failed(damaged.map((id) => ({ ...DAMAGED, recipient: `unknown (message ${id})` })))
    const queue = new SiteQueue(deps, waiting, { counts, caught: await Caught.open(deps.caught) })
    await queue.writeStatus()
    return queue
  }

  get store(): Store {
    return this.#deps.store
  }

  async rules(): Promise<Effective | Catching | Unset> {
    const { settings, user } = this.#deps
    return effective(await settings.server(), await settings.site(user))
  }

  /** The reason why the queue accepts no more; undefined: it does. */
  get full(): string | undefined {
    return fullness([...this.#waiting.values()])
  }

  /** It is on the disk when this returns. */
  async add(message: Waiting): Promise<void> {
    await this.#deps.store.put(message)
    this.#known.add(message.id)
    this.#waiting.set(message.id, message)
    await this.writeStatus()
  }

  /** For a message that is never sent. */
  async keep(message: Waiting): Promise<void> {
    await this.caught.add(message)
    this.#known.add(message.id)
    await this.writeStatus()
  }

  knows(id: string): boolean {
    return this.#known.has(id)
  }

  async refused(): Promise<void> {
    this.counts.refused()
    await this.writeStatus()
  }

  get due(): boolean {
    const { now, schedule } = this.#deps
    return !this.#busy && isDue(schedule, this.#relayAt, now()) && this.#next() !== undefined
  }

  /** Delivers due messages. Never throws. */
  async work(): Promise<void> {
    if (!this.due) return
    this.#busy = true
    try {
      await this.#deliver()
    } finally {
      this.#busy = false
      await this.writeStatus()
    }
  }

  async writeStatus(): Promise<void> {
    const { status } = this.#deps
    const shown = statusOf(this, this.#waiting.values(), this.#held, this.#problem)
    await status.write(this.counts.kept, shown).catch(() => undefined)
  }

  /** The longest waiting message first; one at which the relay breaks goes last. */
  #next(): Waiting | undefined {
    const { now, schedule } = this.#deps
    const waiting = [...this.#waiting.values()]
    const due = waiting.filter(({ next_at }) => isDue(schedule, next_at, now()))
    return due.toSorted((one, other) => one.next_at - other.next_at)[0]
  }

  async #deliver(): Promise<void> {
    const { counts } = this
    const deliveries = new Deliveries({ ...this.#deps, counts, waiting: this.#waiting })
    try {
      const [rules, first] = [await this.rules(), this.#next()]
      if ('reason' in rules) throw new Error(rules.reason)
      if ('caught' in rules || !first || this.#isOver(rules, first)) return
      const connection = await connect(rules.relay, this.#deps.smtp)
      await this.#handOver(rules, connection, deliveries).finally(() => connection.close())
    } catch (error) {
      const reason = messageOf(error)
      this.#notNow(reason)
      if (this.#failures >= GIVES_UP_AFTER) deliveries.expire(reason)
    }
  }

  /** When a relay ends the connection after some messages, the others use the next one. */
  async #handOver(rules: Effective, connection: Connection, deliveries: Deliveries): Promise<void> {
    for (let count = 0; count < MAX_CONCURRENT; count += 1) {
      const message = this.#next()
      if (!message || this.#isOver(rules, message)) return
      if (count > 0 && !connection.open) return
      if (!(await deliveries.deliver(connection, message, count > 0))) return
      this.#failures = 0
      this.#problem = null
      await this.writeStatus()
    }
  }

  /** A message to more recipients than the limit goes alone, in an hour of its own. */
  #isOver({ hourly_limit }: Effective, { recipients }: Waiting): boolean {
    const sent = this.counts.sentThisHour
    this.#held = sent > 0 && sent + recipients.length > hourly_limit
    if (this.#held) this.#relayAt = Math.min(this.counts.nextHour, this.#deps.now() + 60_000)
    return this.#held
  }

  #notNow(answer: string): void {
    const { now, schedule, random } = this.#deps
    this.#failures += 1
    this.#problem = { at: new Date(now()).toISOString(), answer: answer.slice(0, 500) }
    this.#relayAt = now() + relayWaitAfter(schedule, this.#failures, random())
  }

  /** Retries at once with a new setting, also messages that the former relay deferred. */
  retryNow(): void {
    this.#relayAt = 0
    this.#failures = 0
    for (const [id, message] of this.#waiting) this.#waiting.set(id, { ...message, next_at: 0 })
  }
}
