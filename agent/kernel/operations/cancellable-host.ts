import type { Host } from '#agent/kernel/host/ports.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'
import { shellOf } from './cancellable-shell.ts'
import { OwnPrograms } from './own-programs.ts'

type Phase = 'working' | 'decided' | 'undoing'

interface Means {
  /** Releases the reserved disk space for the undo; false: none is left. */
  makeRoom(): Promise<boolean>
  /** A line of the operation. */
  tell(line: string): void
}

/**
 * One operation on the machine. Everything that waits on `host` can be ended: it throws the reason,
 * but only when no program runs any more, so that an undo meets no running program.
 */
export class Session {
  readonly host: Host
  readonly #base: Host
  readonly #operation: string
  readonly #programs: OwnPrograms
  readonly #waits = new AbortController()
  readonly #forced = Promise.withResolvers<void>()
  readonly #over = Promise.withResolvers<never>()
  #force = false
  #phase: Phase = 'working'
  #reason: ServiceError | undefined

  readonly makeRoom: Means['makeRoom']

  readonly #tell: (line: string) => void

  constructor(
    base: Host,
    operation: string,
    { makeRoom = async () => false, tell = () => undefined }: Partial<Means> = {},
  ) {
    this.makeRoom = makeRoom
    this.#tell = tell
    this.#base = base
    this.#operation = operation
    this.#programs = new OwnPrograms(base, operation)
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
    const isForced = () => this.#force
    void this.#programs.end(isForced, this.#forced.promise).then(over, over)
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
    await this.#programs.kill().catch(() => undefined)
  }

  /** No program of the work runs after this, and the undo cannot be ended. */
  async undoing(): Promise<void> {
    if (this.#phase === 'undoing') return
    if (!this.#reason) await this.alone()
    if (this.#reason) await this.#over.promise.catch(() => undefined)
    this.#phase = 'undoing'
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
    const { shell, net, visitor, acme, database, clock } = this.#base
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
        resolve: (names, options) => this.#until(() => net.resolve(names, options)),
      },
      visitor: { ...visitor, visit: (visits) => this.#until(() => visitor.visit(visits)) },
      acme: {
        renewals: (request) => this.#until(() => acme.renewals(request)),
        record: (record) => this.#whole(() => acme.record(record)),
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
      exclusive: (name, work) => this.#turn((begun) => this.#base.exclusive(name, begun), work),
      shared: (name, sharing, work) =>
        this.#turn((begun) => this.#base.shared(name, sharing, begun), work),
      tell: (line) => this.#tell(line),
    }
  }

  /** Not interrupted: what continues by itself, a statement or a call, would meet the undo. */
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
  async #turn<T, A extends unknown[]>(
    takeTurn: (work: (...given: A) => Promise<T>) => Promise<T>,
    work: (...given: A) => Promise<T>,
  ): Promise<T> {
    if (this.#phase !== 'working') return takeTurn(work)
    let started = false
    const turn = takeTurn(async (...given) => {
      await this.check()
      started = true
      return work(...given)
    })
    const given = new Promise<never>((_, reject) => {
      this.#over.promise.catch((reason) => started || reject(reason))
    })
    return Promise.race([turn, given])
  }
}
