import {
  GIVES_UP_AFTER,
  isTooOld,
  type Schedule,
  waitAfter,
} from '#agent/kernel/mail/retry-schedule.ts'
import type { Counts } from './counts.ts'
import type { MailLog } from './log.ts'
import type { Connection } from './smtp.ts'
import { Broken, NotStarted, type Outcome, send } from './smtp.ts'
import type { Store, Waiting } from './store.ts'

interface Deps {
  store: Store
  waiting: Map<string, Waiting>
  counts: Counts
  log: MailLog
  schedule: Schedule
  now: () => number
  random: () => number
}

/** Delivers messages: each recipient is delivered, deferred, or given up. */
export class Deliveries {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Throws when the connection broke: the message then stays unchanged. Delivered recipients are
   * removed from the disk in the same turn as the relay's answer, so that only a kill in between
   * can send a message twice, which SMTP does not rule out. False if the relay ended a used
   * connection before it received this message, as some relays do after each: that is no error.
   */
  async deliver(connection: Connection, message: Waiting, isUsed: boolean): Promise<boolean> {
    const text = this.#deps.store.textPath(message.id)
    const taken = (outcome: Outcome) => this.#settle(message, outcome)
    try {
      const outcome = await send(connection, { ...message, text }, taken)
      if (outcome.accepted.length === 0) this.#settle(message, outcome)
      return true
    } catch (error) {
      if (isUsed && error instanceof NotStarted) return false
      // The relay may break at this very message: the others go first.
      if (error instanceof Broken) this.#brokenAt(message, error.message)
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

  #expired(message: Waiting, reason: string): void {
    const hours = Math.round(this.#deps.schedule.expire_ms / 3_600_000)
    const failure = { answer: `given up after ${hours} hours: ${reason}`, expired: true }
    this.#remove(message)
    this.#deps.log.add('error', `${message.id} ${failure.answer}`)
    this.#deps.counts.failed(message.recipients.map((recipient) => ({ recipient, ...failure })))
  }

  #settle(message: Waiting, { accepted, deferred, refused }: Outcome): void {
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

  #note({ id }: Waiting, { accepted, deferred, refused }: Outcome): void {
    const { log } = this.#deps
    for (const recipient of accepted) log.add('info', `${id} sent to ${recipient}`)
    for (const { recipient, reply } of deferred)
      log.add('warning', `${id} deferred for ${recipient}: ${reply.text}`)
    for (const { recipient, reply } of refused)
      log.add('error', `${id} refused for ${recipient}: ${reply.text}`)
  }

  /** Old messages get a last attempt too: the server, or its relay, may have been off. */
  #later(message: Waiting, answer: string): void {
    const { schedule, now } = this.#deps
    if (isTooOld(schedule, message.created_at, now())) this.#expired(message, answer)
    else this.#keep(this.#postponed(message, answer))
  }

  #brokenAt(message: Waiting, reason: string): void {
    this.#deps.log.add('warning', `${message.id} not sent: ${reason}`)
    if (message.attempts >= GIVES_UP_AFTER) this.#later(message, reason)
    else this.#keep(this.#postponed(message, reason))
  }

  #postponed(message: Waiting, answer: string): Waiting {
    const { schedule, now, random } = this.#deps
    const attempts = message.attempts + 1
    const next_at = now() + waitAfter(schedule, attempts, random())
    return { ...message, attempts, next_at, answer }
  }

  #keep(message: Waiting): void {
    this.#deps.store.replace(message)
    this.#deps.waiting.set(message.id, message)
  }

  #remove({ id }: Waiting): void {
    this.#deps.store.remove(id)
    this.#deps.waiting.delete(id)
  }
}
