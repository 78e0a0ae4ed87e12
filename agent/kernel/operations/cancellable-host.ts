import type { Host, RunOptions, Shell } from '#agent/kernel/host/ports.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000
/** The time after SIGKILL from which on a process hangs in the kernel and does no work. */
const STUCK_MS = 10_000
const POLL_MS = 5

/** The running programs of one operation. */
class OperationPrograms {
  readonly #host: Pick<Host, 'programs' | 'clock'>
  readonly #operation: string

  constructor(host: Pick<Host, 'programs' | 'clock'>, operation: string) {
    this.#host = host
    this.#operation = operation
  }

  /** Ends the programs with SIGTERM and later SIGKILL, which `forced` brings forward. */
  async end(isForced: () => boolean, forced: Promise<void>): Promise<void> {
    const { programs, clock } = this.#host
    if (!isForced()) {
      await programs.signal(this.#operation, 'SIGTERM')
      const end = clock.elapsed() + GRACE_MS
      while (!isForced() && clock.elapsed() < end && (await this.#left()) > 0) {
        await Promise.race([clock.sleep(10 * POLL_MS), forced])
      }
    }
    await this.kill()
  }

  async kill(): Promise<void> {
    const { programs, clock } = this.#host
    const end = clock.elapsed() + STUCK_MS
    while ((await this.#left()) > 0 && clock.elapsed() < end) {
      await programs.signal(this.#operation, 'SIGKILL')
      await clock.sleep(POLL_MS)
    }
  }

  #left(): Promise<number> {
    return this.#host.programs.count(this.#operation)
  }
}

type SessionPhase = 'working' | 'decided' | 'undoing'

interface SessionDeps {
  /** Releases the reserved disk space for the undo; returns false if none is left. */
  makeRoom(): Promise<boolean>
  /** Adds a line to the operation. */
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
  readonly #programs: OperationPrograms
  readonly #waits = new AbortController()
  readonly #forced = Promise.withResolvers<void>()
  readonly #over = Promise.withResolvers<never>()
  #force = false
  #phase: SessionPhase = 'working'
  #reason: ServiceError | undefined

  readonly makeRoom: SessionDeps['makeRoom']

  readonly #tell: (line: string) => void

  constructor(
    base: Host,
    operation: string,
    { makeRoom = async () => false, tell = () => undefined }: Partial<SessionDeps> = {},
  ) {
    this.makeRoom = makeRoom
    this.#tell = tell
    this.#base = base
    this.#operation = operation
    this.#programs = new OperationPrograms(base, operation)
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

  /** Passes the point of no return: the operation completes, even after a request to end. */
  async decided(): Promise<void> {
    if (this.#reason) await this.#over.promise.catch(() => undefined)
    if (this.#phase === 'working') this.#phase = 'decided'
  }

  /** Ends remaining programs of the work, also of an earlier process of the agent. */
  async alone(): Promise<void> {
    await this.#programs.kill().catch(() => undefined)
  }

  /** Starts the undo: no program of the work runs after this, and the undo cannot be ended. */
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

  /** Runs work without interruption: a statement or a call continues, and would meet the undo. */
  async #whole<T>(work: () => Promise<T>): Promise<T> {
    await this.check()
    const result = await work()
    await this.check()
    return result
  }

  /** Aborts the waiting for a turn; running work ends by itself. An undo always waits. */
  async #turn<T, A extends unknown[]>(
    takeTurn: (work: (...given: A) => Promise<T>) => Promise<T>,
    work: (...given: A) => Promise<T>,
  ): Promise<T> {
    if (this.#phase !== 'working') return takeTurn(work)
    let started = false
    const turn = takeTurn(async (...given) => {
      // Also during the undo: what was cancelled before its turn does not run when that comes.
      if (this.#reason) await this.#over.promise
      started = true
      return work(...given)
    })
    const given = new Promise<never>((_, reject) => {
      this.#over.promise.catch((reason) => started || reject(reason))
    })
    return Promise.race([turn, given])
  }
}

/** Returns a shell for the programs of one operation. `until` waits for one, and may end it. */
function shellOf(
  shell: Shell,
  operation: string,
  until: <T>(work: () => Promise<T>) => Promise<T>,
): Shell {
  const own = (options: RunOptions = {}) => withOperation(options, operation)
  async function* each<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    for (;;) {
      const next = await until(() => items.next())
      if (next.done) return
      yield next.value
    }
  }
  return {
    run: (argv, options) => until(() => shell.run(argv, own(options))),
    try: (argv, options) => until(() => shell.try(argv, own(options))),
    stream: (argv, options) => each(shell.stream(argv, own(options))),
    bytes: (argv, options) => each(shell.bytes(argv, own(options))),
    // A daemon outlives the operation.
    daemon: (argv, options) => until(() => shell.daemon(argv, options)),
  }
}

/** Adds the operation to the options of a program, and of the program that feeds it. */
function withOperation({ input_from, ...options }: RunOptions, operation: string): RunOptions {
  if (!input_from) return { ...options, operation }
  const fed = { ...input_from, options: withOperation(input_from.options, operation) }
  return { ...options, input_from: fed, operation }
}
