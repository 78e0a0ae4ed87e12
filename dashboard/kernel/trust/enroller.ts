import { X509Certificate } from 'node:crypto'
import { reachCodeOf } from '#dashboard/kernel/agents/agent-errors.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { Leases } from '#dashboard/kernel/leases/leases.ts'
import { shareOf } from '#dashboard/kernel/leases/shares.ts'
import { nextMultiple, sleepOrWake, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { AddressRules } from './addresses.ts'
import { confirm, enrol } from './enrol.ts'
import { findOwner } from './explain-certificate.ts'
import type { Keyring } from './keyring.ts'
import { CODE_PURPOSE } from './open-enrolment.ts'
import { findObstacle } from './probe-connection.ts'
import { countFailure, endLapsed, listOpenEnrolments, noteReason, pinAgent } from './queries.ts'
import type { Sealer } from './seal.ts'

interface Deps extends Pick<CommonDeps, 'db' | 'bus' | 'clock' | 'log'> {
  keys: Keyring
  marks: Marks
  sealer: Sealer
  rules: AddressRules
  leases: Leases
  /** Handles an agent that is trusted: its first signed request makes the server `online`. */
  enrolled(server_id: number): void
}

type OpenEnrolment = Awaited<ReturnType<typeof listOpenEnrolments>>[number]

/** The progress of an open code, as this process has seen it. */
interface EnrolmentProgress {
  code_key_sealed: string
  last_error: string
  /** Whether the agent has answered last time, and waits for its code. */
  is_reached: boolean
  /** The end of the time of expected use, and the next contact, on the monotonic clock. */
  soon_until: number
  due: number
}

/** The pauses between contacts while the use of a code is expected soon, and otherwise. */
const SOON_MS = 1_000
const LATER_MS = 30_000
/** The time of expected use after a new code, and after another reason against its use. */
const SOON_FOR_MS = 2 * 60_000
/** The time for which a use is expected while somebody watches the page of the server. */
const WATCHED_MS = 10_000
/** The interval for codes whose news did not arrive, from another dashboard on the same records. */
const POLL_MS = 30_000

const TOPIC = 'enrolment of '
/** The bus topic for a new code of a server, and for each look at its state. */
export const enrolmentTopic = (server_id: number) => `${TOPIC}${server_id}`

/**
 * Requests the proof of servers with an open code until the code is used or expired: each second while
 * its use is expected soon, and otherwise each half minute. Without open codes it only waits for one.
 */
export class Enroller {
  readonly #deps: Deps
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  /** The servers with valid codes in the last round; undefined before the first. */
  #open: Map<number, EnrolmentProgress> | undefined
  readonly #asking = new Map<number, Promise<void>>()
  readonly #watched = new Set<number>()
  #news = Promise.withResolvers<void>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  start(): void {
    const leave = this.#deps.bus.listen((topic) => {
      if (!topic.startsWith(TOPIC)) return
      this.#watched.add(Number(topic.slice(TOPIC.length)))
      this.#news.resolve()
    })
    this.#running = this.#run().finally(leave)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await Promise.all(this.#asking.values())
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#deps
    const { signal } = this.#stopping
    while (!signal.aborted) {
      let pause = SOON_MS
      try {
        pause = await this.#round()
      } catch (error) {
        log.error('enrolment failed', error)
      }
      await sleepOrWake(clock, pause, this.#news.promise, signal)
    }
  }

  /** Contacts the servers whose time has come. Returns the pause until the next round. */
  async #round(): Promise<number> {
    const { db, clock, leases } = this.#deps
    const watched = new Set(this.#watched)
    this.#watched.clear()
    this.#news = Promise.withResolvers<void>()
    const all = await listOpenEnrolments(db, timestamp(clock))
    const open = all.filter(({ server_id }) => leases.holds(shareOf(server_id)))
    const known = await this.#keep(open)
    const now = clock.elapsed()
    let next = nextMultiple(now, POLL_MS)
    for (const each of open) {
      const { server_id } = each
      const state = nextProgress(known.get(server_id), each, {
        now,
        is_watched: watched.has(server_id),
      })
      known.set(server_id, state)
      if (state.due <= now) {
        state.due = nextMultiple(now, now < state.soon_until ? SOON_MS : LATER_MS)
        this.#contact(each)
      }
      next = Math.min(next, state.due)
    }
    return next - now
  }

  /** Completes the activities of codes that are over, at its start of all, and keeps the others. */
  async #keep(open: readonly OpenEnrolment[]): Promise<Map<number, EnrolmentProgress>> {
    const { db, clock } = this.#deps
    const known = this.#open
    const ids = new Set(open.map(({ server_id }) => server_id))
    const over = known && [...known.keys()].filter((id) => !ids.has(id))
    this.#open = new Map([...(known ?? [])].filter(([id]) => ids.has(id)))
    if (over?.length !== 0) await endLapsed(db, timestamp(clock), over)
    return this.#open
  }

  /** Starts again: other servers may be those of this dashboard now. */
  again(): void {
    this.#news.resolve()
  }

  /** Contacts a server, once at a time: others do not wait for one that does not answer. */
  #contact(open: OpenEnrolment): void {
    const { leases, log } = this.#deps
    const { server_id } = open
    if (this.#asking.has(server_id)) return
    const asking = (async () => {
      try {
        await leases.run(shareOf(server_id), () => this.#ask(open))
      } catch (error) {
        log.error('enrolment failed', error)
      } finally {
        this.#asking.delete(server_id)
      }
    })()
    this.#asking.set(server_id, asking)
  }

  async #ask({ code_key_sealed, kid, ...to }: OpenEnrolment): Promise<void> {
    const { db, marks, clock, keys, sealer, rules, enrolled } = this.#deps
    const { server_id, hostname: domain } = to
    // A connection costs little; one to an agent that waits for its code is kept.
    const is_reached = this.#open?.get(server_id)?.is_reached
    const obstacle = is_reached ? undefined : await findObstacle(to, rules)
    if (obstacle) {
      const reason = { reason: obstacle.message, code: reachCodeOf(obstacle) }
      return this.#note(to, reason)
    }
    const opened = sealer.open(CODE_PURPOSE, code_key_sealed)
    const code_key = Buffer.from(opened.reveal(), 'base64url')
    const key = await keys.get(kid)
    const result = await enrol(key, { ...to, code_key }, rules)
    const known = this.#open?.get(server_id)
    if (known) known.is_reached = result.outcome === 'away' && result.code === 'waits_for_code'
    if (result.outcome === 'away') return this.#note(to, result)
    const created_at = timestamp(clock)
    const entry = { type: 'server.enrol', domain, server_id, via: 'agent', created_at } as const
    if (result.outcome === 'failed') {
      await countFailure(db, server_id, result.reason, { ...entry, status: 'failed' })
      return
    }
    const { certificate, public_key, nonce } = result
    const owner = await findOwner(db, new X509Certificate(certificate).raw)
    if (owner && owner.server_id !== server_id) {
      const reason = `This is the machine of the server ${owner.name}, or a copy of it: a copy needs an identity of its own`
      await countFailure(db, server_id, reason, { ...entry, status: 'failed' })
      return
    }
    const agent = { server_id, certificate, public_key, kid, enrolled_at: created_at }
    await pinAgent({ db, marks }, agent, { ...entry, status: 'success' })
    await confirm(key, to, nonce, rules).catch(() => undefined)
    enrolled(server_id)
  }

  async #note(
    { server_id, last_error }: Pick<OpenEnrolment, 'server_id' | 'last_error'>,
    why: Parameters<typeof noteReason>[2],
  ): Promise<void> {
    if (why.reason !== last_error) await noteReason(this.#deps.db, server_id, why)
  }
}

function nextProgress(
  known: EnrolmentProgress | undefined,
  { code_key_sealed, last_error }: OpenEnrolment,
  { now, is_watched }: { now: number; is_watched: boolean },
): EnrolmentProgress {
  const isNew = known?.code_key_sealed !== code_key_sealed
  const isChanged = isNew || known.last_error !== last_error
  const soon_ms = isChanged ? SOON_FOR_MS : is_watched ? WATCHED_MS : 0
  const soon_until = Math.max(known?.soon_until ?? now, now + soon_ms)
  const soon = now < soon_until ? now + SOON_MS : Number.POSITIVE_INFINITY
  const due = isNew ? now : Math.min(known.due, soon)
  return { code_key_sealed, last_error, is_reached: known?.is_reached ?? false, soon_until, due }
}
