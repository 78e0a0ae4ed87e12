import {
  effectiveSetting,
  type KeptMailSetting,
  type RelaySetting,
  type UnsetMail,
} from '#agent/features/mail/setting.ts'
import {
  isDue,
  isTooOld,
  MIN_FAILURES,
  type RetrySchedule,
  relayWaitAfter,
  waitAfter,
} from '#agent/kernel/mail/retry-schedule.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import type { MailCounts } from '#shared/mail/mail.ts'
import { RecipientCounts } from './counts.ts'
import { KeptMessages } from './kept-messages.ts'
import type { MailLog } from './log.ts'
import type { SettingFiles } from './setting-files.ts'
import {
  ConnectionBroken,
  connect,
  MessageNotStarted,
  type SendOutcome,
  type SmtpConnection,
  type SmtpOptions,
  send,
} from './smtp.ts'
import type { StatusFile } from './status-file.ts'
import type { MessageStore, WaitingMessage } from './store.ts'

const MAX_IDS = 5000

/** The ids of accepted messages, including delivered ones: the site may not know yet. */
class KnownIds {
  readonly #ids: Set<string>

  constructor(ids: Iterable<string>) {
    this.#ids = new Set(ids)
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > MAX_IDS && oldest !== undefined) this.#ids.delete(oldest)
  }
}

/** The number of messages on one connection before the next site has its turn. */
const MAX_CONCURRENT = 50

const DAMAGED = { answer: 'given up: its file in the queue is damaged', expired: true }

export interface QueueDeps {
  user: string
  store: MessageStore
  /** The store of the kept messages of a staging site. */
  caught: MessageStore
  settings: SettingFiles
  status: StatusFile
  log: MailLog
  schedule: RetrySchedule
  now: () => number
  random: () => number
  smtp: SmtpOptions
}

type QueueStatus = Pick<SiteQueue, 'counts' | 'caught'>

/** The mail of one site that waits for its relay. */
export class SiteQueue {
  readonly counts: RecipientCounts
  readonly caught: KeptMessages
  readonly #deps: QueueDeps
  readonly #waiting: Map<string, WaitingMessage>
  readonly #known: KnownIds
  /** The number of consecutive failures of the relay itself. */
  #failures = 0
  #relayAt = 0
  #problem: MailCounts['problem'] = null
  #held = false
  #busy = false

  private constructor(
    deps: QueueDeps,
    waiting: readonly WaitingMessage[],
    { counts, caught }: QueueStatus,
  ) {
    this.#deps = deps
    this.#waiting = new Map(waiting.map((message) => [message.id, message]))
    this.#known = new KnownIds(this.#waiting.keys())
    this.counts = counts
    this.caught = caught
  }

  static async open(deps: QueueDeps): Promise<SiteQueue> {
    const counts = new RecipientCounts(deps.now, await deps.status.read())
    const { waiting, damaged } = await deps.store.load()
    counts.failed(damaged.map((id) => ({ ...DAMAGED, recipient: `unknown (message ${id})` })))
    const queue = new SiteQueue(deps, waiting, {
      counts,
      caught: await KeptMessages.open(deps.caught),
    })
    await queue.writeStatus()
    return queue
  }

  get store(): MessageStore {
    return this.#deps.store
  }

  async rules(): Promise<RelaySetting | KeptMailSetting | UnsetMail> {
    const { settings, user } = this.#deps
    return effectiveSetting(await settings.server(), await settings.site(user))
  }

  /** Returns the reason why the queue accepts no more; undefined if it does. */
  get full(): string | undefined {
    return fullReason([...this.#waiting.values()])
  }

  /** Returns when the message is on the disk. */
  async add(message: WaitingMessage): Promise<void> {
    await this.#deps.store.put(message)
    this.#known.add(message.id)
    this.#waiting.set(message.id, message)
    await this.writeStatus()
  }

  /** Keeps a message that is never sent. */
  async keep(message: WaitingMessage): Promise<void> {
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

  /** Returns the longest waiting message first, and last one at which the relay breaks. */
  #next(): WaitingMessage | undefined {
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
      if (this.#failures >= MIN_FAILURES) deliveries.expire(reason)
    }
  }

  /** Delivers messages over a connection. If it ends, the others use the next one. */
  async #handOver(
    rules: RelaySetting,
    connection: SmtpConnection,
    deliveries: Deliveries,
  ): Promise<void> {
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

  /** Returns whether the limit is exceeded. A message with more recipients goes alone. */
  #isOver({ hourly_limit }: RelaySetting, { recipients }: WaitingMessage): boolean {
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

/** The limits of one site's waiting mail. */
const MAX_MESSAGES = 1000
const MAX_BYTES = 200 << 20

/** Returns the reason why a queue with these messages accepts no more; undefined if it does. */
function fullReason(messages: readonly WaitingMessage[]): string | undefined {
  const bytes = messages.reduce((sum, { size }) => sum + size, 0)
  if (messages.length < MAX_MESSAGES && bytes < MAX_BYTES) return undefined
  return `the queue of this site is full: ${messages.length} messages wait`
}

/** Returns the agent's report of the queue of one site. */
function statusOf(
  { counts, caught }: { counts: RecipientCounts; caught: KeptMessages },
  messages: Iterable<WaitingMessage>,
  held: boolean,
  problem: MailCounts['problem'],
): MailCounts {
  const waiting = [...messages]
  const oldest = Math.min(...waiting.map(({ created_at }) => created_at))
  return {
    queued: waiting.length,
    caught: caught.count,
    oldest_at: Number.isFinite(oldest) ? new Date(oldest).toISOString() : null,
    held,
    sent_hour: counts.sentThisHour,
    sent_day: counts.day('sent'),
    failed_day: counts.day('failed'),
    refused_day: counts.day('refused'),
    last_sent_at: counts.kept.last_sent_at,
    problem,
    failures: counts.kept.failures,
  }
}

interface DeliveryDeps {
  store: MessageStore
  waiting: Map<string, WaitingMessage>
  counts: RecipientCounts
  log: MailLog
  schedule: RetrySchedule
  now: () => number
  random: () => number
}

/** Delivers messages: each recipient is delivered, deferred, or given up. */
class Deliveries {
  readonly #deps: DeliveryDeps

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /**
   * Delivers a message. Throws when the connection broke: the message then stays unchanged.
   * Delivered recipients are removed from the disk in the same turn as the relay's answer, so that
   * only a kill in between can send a message twice, which SMTP does not rule out. Returns false if
   * the relay ended a used connection before it received this message, as some relays do after
   * each: that is no error.
   */
  async deliver(
    connection: SmtpConnection,
    message: WaitingMessage,
    isUsed: boolean,
  ): Promise<boolean> {
    const text = this.#deps.store.textPath(message.id)
    const taken = (outcome: SendOutcome) => this.#settle(message, outcome)
    try {
      const outcome = await send(connection, { ...message, text }, taken)
      if (outcome.accepted.length === 0) this.#settle(message, outcome)
      return true
    } catch (error) {
      if (isUsed && error instanceof MessageNotStarted) return false
      // The relay may break at this very message: the others go first.
      if (error instanceof ConnectionBroken) this.#brokenAt(message, error.message)
      throw error
    }
  }

  /** Gives up old messages for a relay that accepts nothing now, for this reason. */
  expire(reason: string): void {
    const { waiting, schedule, now } = this.#deps
    for (const message of [...waiting.values()]) {
      if (isTooOld(schedule, message.created_at, now())) this.#expired(message, reason)
    }
  }

  #expired(message: WaitingMessage, reason: string): void {
    const hours = Math.round(this.#deps.schedule.expire_ms / 3_600_000)
    const failure = { answer: `given up after ${hours} hours: ${reason}`, expired: true }
    this.#remove(message)
    this.#deps.log.add('error', `${message.id} ${failure.answer}`)
    this.#deps.counts.failed(message.recipients.map((recipient) => ({ recipient, ...failure })))
  }

  #settle(message: WaitingMessage, { accepted, deferred, refused }: SendOutcome): void {
    const { counts } = this.#deps
    this.#note(message, { accepted, deferred, refused })
    const [first] = deferred
    const recipients = deferred.map(({ recipient }) => recipient)
    if (first) this.#later({ ...message, recipients }, first.reply.text)
    else this.#remove(message)
    if (accepted.length > 0) counts.sent(accepted.length)
    const failures = refused.map(({ recipient, reply: { text: answer } }) => ({
      recipient,
      answer,
    }))
    counts.failed(failures.map((failure) => ({ ...failure, expired: false })))
  }

  #note({ id }: WaitingMessage, { accepted, deferred, refused }: SendOutcome): void {
    const { log } = this.#deps
    for (const recipient of accepted) log.add('info', `${id} sent to ${recipient}`)
    for (const { recipient, reply } of deferred)
      log.add('warning', `${id} deferred for ${recipient}: ${reply.text}`)
    for (const { recipient, reply } of refused)
      log.add('error', `${id} refused for ${recipient}: ${reply.text}`)
  }

  /** Defers a message. Old ones too get a last attempt: the server may have been off. */
  #later(message: WaitingMessage, answer: string): void {
    const { schedule, now } = this.#deps
    if (isTooOld(schedule, message.created_at, now())) this.#expired(message, answer)
    else this.#keep(this.#postponed(message, answer))
  }

  #brokenAt(message: WaitingMessage, reason: string): void {
    this.#deps.log.add('warning', `${message.id} not sent: ${reason}`)
    if (message.attempts >= MIN_FAILURES) this.#later(message, reason)
    else this.#keep(this.#postponed(message, reason))
  }

  #postponed(message: WaitingMessage, answer: string): WaitingMessage {
    const { schedule, now, random } = this.#deps
    const attempts = message.attempts + 1
    const next_at = now() + waitAfter(schedule, attempts, random())
    return { ...message, attempts, next_at, answer }
  }

  #keep(message: WaitingMessage): void {
    this.#deps.store.replace(message)
    this.#deps.waiting.set(message.id, message)
  }

  #remove({ id }: WaitingMessage): void {
    this.#deps.store.remove(id)
    this.#deps.waiting.delete(id)
  }
}
