import { X509Certificate } from 'node:crypto'
import type { Base } from '#dashboard/db/base.ts'
import type { Marks } from '#dashboard/db/marks.ts'
import type { Leases } from '#dashboard/leases/leases.ts'
import { shareOf } from '#dashboard/leases/shares.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { AddressRules } from './addresses.ts'
import { confirm, enrol } from './enrol.ts'
import type { Keyring } from './keyring.ts'
import { CODE_PURPOSE } from './open-enrolment.ts'
import { findOwner } from './presented.ts'
import { countFailure, endLapsed, listOpenEnrolments, noteReason, pinAgent } from './queries.ts'
import type { Sealer } from './seal.ts'

interface Deps extends Pick<Base, 'db' | 'clock' | 'log'> {
  keys: Keyring
  marks: Marks
  sealer: Sealer
  rules: AddressRules
  leases: Leases
  /** Called when an agent is trusted: its first signed request makes the server `online`. */
  enrolled(server_id: number): void
}

type Open = Awaited<ReturnType<typeof listOpenEnrolments>>[number]

const PAUSE_MS = 1000

/** Requests the proof of servers with an open code, once a second, until the code is used or expired. */
export class Enroller {
  readonly #deps: Deps
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  /** The servers with valid codes in the last round; undefined before the first. */
  #open: readonly number[] | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { db, clock, log, leases } = this.#deps
    while (!this.#stopping.signal.aborted) {
      try {
        const all = await listOpenEnrolments(db, timestamp(clock))
        const open = all.filter(({ server_id }) => leases.holds(shareOf(server_id)))
        await this.#endLapsed(open)
        await Promise.all(
          open.map((each) => leases.run(shareOf(each.server_id), () => this.#ask(each))),
        )
      } catch (error) {
        log.error('enrolment failed', error)
      }
      await clock.sleep(PAUSE_MS, this.#stopping.signal)
    }
  }

  /** Completes the activities of expired codes, at its start of all. */
  async #endLapsed(open: readonly Open[]): Promise<void> {
    const { db, clock } = this.#deps
    const ids = open.map(({ server_id }) => server_id)
    const over = this.#open?.filter((id) => !ids.includes(id))
    this.#open = ids
    if (over?.length !== 0) await endLapsed(db, timestamp(clock), over)
  }

  async #ask({ code_key_sealed, kid, ...to }: Open): Promise<void> {
    const { db, marks, clock, keys, sealer, rules, enrolled } = this.#deps
    const opened = sealer.open(CODE_PURPOSE, code_key_sealed)
    const code_key = Buffer.from(opened.reveal(), 'base64url')
    const key = await keys.get(kid)
    const result = await enrol(key, { ...to, code_key }, rules)
    const { server_id, hostname: domain, last_error } = to
    if (result.outcome === 'away') {
      if (result.reason !== last_error) await noteReason(db, server_id, result)
      return
    }
    const created_at = timestamp(clock)
    const entry = { type: 'server.enrol', domain, server_id, created_at }
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
}
