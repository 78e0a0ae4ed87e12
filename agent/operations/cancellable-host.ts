import type { Host, RunOptions, Shell } from '#agent/host/ports.ts'
import type { ServiceError } from '#shared/errors.ts'

/** What SIGTERM ends has this long. */
const GRACE_MS = 10_000
/** What outlives this long even SIGKILL hangs in the kernel, and never gets back to its own work. */
const STUCK_MS = 10_000
const POLL_MS = 5

type Phase = 'working' | 'decided' | 'undoing'

/**
 * One operation on the machine. All that waits on `host` can be ended: it then throws the reason, but
 * only when nothing runs any more, so that what is put back or undone meets no program of the work.
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

  /** Gives up what is kept back of the disk, for what is undone; false: there is no more of it. */
  readonly makeRoom: () => Promise<boolean>

  constructor(base: Host, operation: string, makeRoom = async () => false) {
    this.makeRoom = makeRoom
    this.#base = base
    this.#operation = operation
    this.host = this.#view()
    this.#over.promise.catch(() => undefined)
  }

  /** Why it was ended before its time, when it was. */
  get reason(): ServiceError | undefined {
    return this.#reason
  }

  /** Aborts, with the reason, as soon as the operation is to end. */
  get signal(): AbortSignal {
    return this.#waits.signal
  }

  /**
   * Ends what is running: `force` by SIGKILL, otherwise by SIGTERM and later by SIGKILL. Nothing
   * happens past the point of no return, nor when it is being undone already.
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

  /** Throws the reason when the operation is to end; returns only when nothing of it runs then. */
  async check(): Promise<void> {
    if (this.#phase === 'working' && this.#reason) await this.#over.promise
  }

  /** Past the point of no return it goes on to its end, also when that was to come before its time. */
  async decided(): Promise<void> {
    if (this.#reason) await this.#over.promise.catch(() => undefined)
    if (this.#phase === 'working') this.#phase = 'decided'
  }

  /** Ends what still runs of the work, or of an earlier process of the agent. */
  async alone(): Promise<void> {
    await this.#kill().catch(() => undefined)
  }

  /** Nothing of the work runs any more when this returns, and what follows cannot be ended. */
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
    const base = this.#base
    const own = { operation: this.#operation }
    // What is undone must not find its own waits ended.
    const waits = () => (this.#phase === 'working' ? { signal: this.signal } : {})
    const { net, acme, database, clock } = base
    return {
      ...base,
      shell: this.#shell((work) => this.#until(work)),
      steady: { ...base, shell: this.#shell((work) => work()) },
      net: {
        fetch: (url, options) =>
          this.#until(() => net.fetch(url, { ...options, ...own, ...waits() })),
        download: (url, path, digest, options) =>
          this.#until(() => net.download(url, path, digest, { ...options, ...own, ...waits() })),
        probe: (probe) => this.#until(() => net.probe(probe)),
      },
      acme: {
        order: ({ present, ...order }) =>
          this.#until(() =>
            acme.order({
              ...order,
              ...own,
              present: async (token, text) => {
                await this.check()
                await present(token, text)
              },
            }),
          ),
      },
      database: {
        admin: (name, values) => this.#whole(() => database.admin(name, values)),
      },
      clock: {
        now: () => clock.now(),
        elapsed: () => clock.elapsed(),
        sleep: (ms) => this.#until(() => clock.sleep(ms)),
      },
      exclusive: (name, work) => this.#turn(name, work),
    }
  }

  #shell(until: <T>(work: () => Promise<T>) => Promise<T>): Shell {
    const { shell } = this.#base
    const own = (options?: RunOptions) => ({ ...options, operation: this.#operation })
    return {
      run: (argv, options) => until(() => shell.run(argv, own(options))),
      try: (argv, options) => until(() => shell.try(argv, own(options))),
      async *stream(argv, options) {
        const lines = shell.stream(argv, own(options))
        for (;;) {
          const next = await until(() => lines.next())
          if (next.done) return
          yield next.value
        }
      },
      // It stays, whatever becomes of the operation.
      daemon: (argv, options) => until(() => shell.daemon(argv, options)),
    }
  }

  /** Not cut off: a statement that went on by itself would meet those that undo it. */
  async #whole<T>(work: () => Promise<T>): Promise<T> {
    await this.check()
    const result = await work()
    await this.check()
    return result
  }

  /**
   * Ends the waiting for a turn; what has its turn ends by what it waits for itself. What is undone
   * waits for its turn however the operation ended.
   */
  async #turn<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#phase !== 'working') return this.#base.exclusive(name, work)
    let begun = false
    const turn = this.#base.exclusive(name, async () => {
      await this.check()
      begun = true
      return work()
    })
    const given = new Promise<never>((_, reject) => {
      this.#over.promise.catch((reason) => begun || reject(reason))
    })
    return Promise.race([turn, given])
  }
}
