import type { Host } from '#agent/host/ports.ts'
import type { ServiceError } from '#shared/errors.ts'
import { shellOf } from './cancellable-shell.ts'

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000
/** A process that survives SIGKILL this long hangs in the kernel, and never continues its work. */
const STUCK_MS = 10_000
const POLL_MS = 5

type Phase = 'working' | 'decided' | 'undoing'

/**
 * One operation on the machine. Everything that waits on `host` can be ended: it throws the reason,
 * but only when no program runs any more, so that an undo meets no running program.
 */
export class Session {
  readonly host: Host
  readonly #base: Host
  readonly #operation: string
  readonly #waits = new AbortController()
  readonly #forced = Promise.withResolvers<void>()
  readonly #over = Promise.withResolvers<never>()
  #force = false
  #phase: Phase = 'working'
  #reason: ServiceError | undefined

  /** Releases the reserved disk space for the undo; false: none is left. */
  readonly makeRoom: () => Promise<boolean>

  constructor(base: Host, operation: string, makeRoom = async () => false) {
    this.makeRoom = makeRoom
    this.#base = base
    this.#operation = operation
    this.host = this.#view()
    this.#over.promise.catch(() => undefined)
  }

  /** The reason of an early end. */
  get reason(): ServiceError | undefined {
    return this.#reason
  }

  /** Aborts with the reason as soon as the operation must end. */
  get signal(): AbortSignal {
    return this.#waits.signal
  }

  /**
   * Ends the running programs: `force` with SIGKILL, otherwise with SIGTERM and later SIGKILL. Has
   * no effect past the point of no return or during an undo.
   */
  stop(reason: ServiceError, force: boolean): void {
    if (this.#phase !== 'working') return
    if (force) {
      this.#force = true
      this.#forced.resolve()
    }
    if (this.#reason) return
    this.#reason = reason
    this.#waits.abort(reason)
    const over = () => this.#over.reject(reason)
    void this.#empty().then(over, over)
  }

  /** Throws the reason when the operation must end, after all its programs have ended. */
  async check(): Promise<void> {
    if (this.#phase === 'working' && this.#reason) await this.#over.promise
  }

  /** Past the point of no return it completes, even after an earlier request to end. */
  async decided(): Promise<void> {
    if (this.#reason) await this.#over.promise.catch(() => undefined)
    if (this.#phase === 'working') this.#phase = 'decided'
  }

  /** Ends remaining programs of the work, also of an earlier process of the agent. */
  async alone(): Promise<void> {
    await this.#kill().catch(() => undefined)
  }

  /** No program of the work runs after this, and the undo cannot be ended. */
  async undoing(): Promise<void> {
    if (this.#phase === 'undoing') return
    if (!this.#reason) await this.alone()
    if (this.#reason) await this.#over.promise.catch(() => undefined)
    this.#phase = 'undoing'
  }

  async #empty(): Promise<void> {
    const { programs, clock } = this.#base
    if (!this.#force) {
      await programs.signal(this.#operation, 'SIGTERM')
      const end = clock.elapsed() + GRACE_MS
      while (!this.#force && clock.elapsed() < end && (await this.#left()) > 0) {
        await Promise.race([clock.sleep(10 * POLL_MS), this.#forced.promise])
      }
    }
    await this.#kill()
  }

  async #kill(): Promise<void> {
    const { programs, clock } = this.#base
    const end = clock.elapsed() + STUCK_MS
    while ((await this.#left()) > 0 && clock.elapsed() < end) {
      await programs.signal(this.#operation, 'SIGKILL')
      await clock.sleep(POLL_MS)
    }
  }

  #left(): Promise<number> {
    return this.#base.programs.count(this.#operation)
  }

  async #until<T>(work: () => Promise<T>): Promise<T> {
    await this.check()
    if (this.#phase !== 'working') return work()
    try {
      return await Promise.race([work(), this.#over.promise])
    } finally {
      await this.check()
    }
  }

  #view(): Host {
    const own = { operation: this.#operation }
    // The waits of an undo must not be aborted.
    const waits = () => (this.#phase === 'working' ? { signal: this.signal } : {})
    const { shell, net, acme, database, clock } = this.#base
    return {
      ...this.#base,
      ...own,
      shell: shellOf(shell, this.#operation, (work) => this.#until(work)),
      steady: { ...this.#base, ...own, shell: shellOf(shell, this.#operation, (work) => work()) },
      net: {
        fetch: (url, options) =>
          this.#until(() => net.fetch(url, { ...options, ...own, ...waits() })),
        download: (url, path, digest, options) =>
          this.#until(() => net.download(url, path, digest, { ...options, ...own, ...waits() })),
        probe: (probe) => this.#until(() => net.probe(probe)),
        resolve: (names) => this.#until(() => net.resolve(names)),
      },
      acme: {
        renewals: (request) => this.#until(() => acme.renewals(request)),
        order: ({ present, publish, ...order }) =>
          this.#until(() =>
            acme.order({
              ...order,
              ...own,
              present: async (token, text) => {
                await this.check()
                await present(token, text)
              },
              publish: async (name, value) => {
                await this.check()
                return publish(name, value)
              },
            }),
          ),
      },
      database: { admin: (name, values) => this.#whole(() => database.admin(name, values)) },
      clock: {
        now: () => clock.now(),
        elapsed: () => clock.elapsed(),
        sleep: (ms) => this.#until(() => clock.sleep(ms)),
      },
      exclusive: (name, work) => this.#turn(name, work),
    }
  }

  /** Not interrupted: a statement that continues by itself would meet those of the undo. */
  async #whole<T>(work: () => Promise<T>): Promise<T> {
    await this.check()
    const result = await work()
    await this.check()
    return result
  }

  /**
   * Aborts the waiting for a turn; running work is ended by its own waits. An undo waits for its
   * turn in any case.
   */
  async #turn<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#phase !== 'working') return this.#base.exclusive(name, work)
    let started = false
    const turn = this.#base.exclusive(name, async () => {
      await this.check()
      started = true
      return work()
    })
    const given = new Promise<never>((_, reject) => {
      this.#over.promise.catch((reason) => started || reject(reason))
    })
    return Promise.race([turn, given])
  }
}
