import type {
  AcmeOrder,
  AcmeOutcome,
  AcmePort,
  DnsRecord,
  RenewalRequest,
  RenewalWindow,
} from '#agent/kernel/host/acme-port.ts'
import { ADMIN_STATEMENTS, type AdminStatement } from '#agent/kernel/host/admin-statements.ts'
import { exclusiveByName } from '#agent/kernel/host/exclusive-by-name.ts'
import { fingerprintOf } from '#agent/kernel/host/fingerprint.ts'
import { limitedByName } from '#agent/kernel/host/limited-by-name.ts'
import type {
  DatabaseRow,
  Host,
  Output,
  ResolvedAddresses,
  RunOptions,
} from '#agent/kernel/host/ports.ts'
import { refuseUnknown } from '#agent/kernel/host/root-programs.ts'
import { debianDisk } from '#agent/kernel/host/simulated/debian-disk.ts'
import { scannerOn, shellOf } from '#agent/kernel/host/simulated/host.ts'
import { Mariadb } from '#agent/kernel/host/simulated/mariadb.ts'
import { done } from '#agent/kernel/host/simulated/programs/output.ts'
import { programOf, type SimulatedProgram } from '#agent/kernel/host/simulated/programs/programs.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import type {
  PingResult,
  Visitor,
  VisitRequest,
  VisitResult,
} from '#agent/kernel/host/visit-port.ts'

/** The answers of an authority, and its requests. */
class FakeAuthority implements AcmePort {
  readonly orders: AcmeOrder[] = []
  outcome: AcmeOutcome = { refused: [] }
  /** What it suggests for every certificate. */
  renewal: RenewalWindow | undefined
  /** How many certificates each question about renewals named. */
  readonly asked: number[] = []

  readonly records: DnsRecord[] = []
  /** Why Cloudflare refuses a record, and why its answer is lost. */
  recordFailure: string | undefined
  recordLoss: string | undefined

  record: AcmePort['record'] = async (record) => {
    this.records.push(record)
    if (this.recordLoss !== undefined) throw new Error(this.recordLoss)
    return this.recordFailure
  }

  order: AcmePort['order'] = async (order) => {
    this.orders.push(order)
    return this.outcome
  }

  renewals: AcmePort['renewals'] = async ({ certificates }: RenewalRequest) => {
    this.asked.push(certificates.length)
    const { renewal } = this
    return renewal && certificates.map(() => renewal)
  }
}

type Run = { line: string; options: RunOptions }
type Hanging = { operation: string; stubborn: boolean; end: (code: number) => void }

/** A machine in memory: `fail` and `answer` match the start of what is in `ran` and `queries`. */
export class FakeHost implements Host {
  readonly disk = debianDisk(() => this.time)
  readonly files = this.disk
  readonly scanner = scannerOn(this.disk, (sql, values) => this.select(sql, values))
  /** The effects of programs; unnamed ones do nothing. */
  table: Record<string, SimulatedProgram<FakeHost>> = {}
  readonly runs: Run[] = []
  readonly queries: string[] = []
  readonly fetched: string[] = []
  readonly pages = new Map<string, string>()
  init: 'systemd' | 'direct' = 'systemd'
  privileged = true
  /** False: like the host of a keeper, and of tests that invent programs, it refuses no program. */
  sandboxed = true
  time = Date.UTC(2026, 0, 1)
  #answers: [string, Output][] = []
  #rows: [string, Record<string, unknown>[]][] = []
  #sqlFailures: [string, string][] = []
  #counter = 0

  readonly settings = { ...SETTINGS }

  /** Signals sent to operations, and programs that run until they receive one. */
  readonly signals: string[] = []
  hanging: Hanging[] = []
  readonly hangs: [string, boolean][] = []
  readonly programs = {
    signal: async (operation: string, name: string) => this.#signal(operation, name),
    count: async (operation: string) =>
      this.hanging.filter((program) => program.operation === operation).length,
    lasting: async () => 0,
    forget: async () => undefined,
  }

  readonly exclusive = exclusiveByName()
  readonly shared = limitedByName()
  readonly holders = new Map<string, Set<string>>()
  readonly unlimited = new Map<string, number>()
  /** Changes of the clock, in milliseconds. */
  set = 0
  readonly clock = {
    now: () => this.time + this.set,
    elapsed: () => this.time,
    sleep: async (ms: number) => {
      this.time += ms
    },
  }

  readonly random = {
    text: (length: number) => this.#next('R', length),
    name: (length: number) => this.#next('r', length),
    integer: (below: number) => this.#counter++ % below,
  }

  readonly shell = shellOf((argv, options) => this.#runToEnd(argv, options))
  readonly mariadb = new Mariadb(() => undefined)
  readonly databases = this.mariadb.databases
  readonly database = {
    admin: async (
      statement: AdminStatement,
      values: readonly unknown[] = [],
    ): Promise<DatabaseRow[]> =>
      this.#rowsOf(ADMIN_STATEMENTS[statement], values) ?? this.mariadb.admin(statement, values),
  }

  readonly net = {
    fetch: async (url: string) => new TextEncoder().encode(this.#page(url)),
    download: async (url: string, path: string, digest = 'sha512') => {
      await this.disk.write(path, this.#page(url))
      return digest === 'sha512' ? this.settings.wp_cli_sha512 : this.settings.restic_sha256
    },
    probe: async ({ host, path, tls = false }: { host: string; path: string; tls?: boolean }) => {
      const body = this.#page(`${tls ? 'https' : 'http'}://${host}${path}`)
      return { status: 200, body, headers: {} }
    },
    resolve: async (names: readonly string[]): Promise<ResolvedAddresses[]> =>
      names.map(() => null),
  }

  /** Answers to visitors by `scheme://host/`, else `pages`; and of PHP-FPM by its socket. */
  readonly visits = new Map<string, VisitResult>()
  readonly visited: string[] = []
  readonly pings = new Map<string, PingResult>()
  readonly pinged: string[] = []
  readonly statuses = new Map<string, string>()
  readonly visitor: Visitor = {
    visit: async (visits) => visits.map((visit) => this.#visited(visit)),
    fpmStatus: async (socket) => this.statuses.get(socket),
    pingFpm: async (socket) => {
      this.pinged.push(socket)
      return this.pings.get(socket) ?? 'pong'
    },
    // The certificates of tests are for other keys.
    handshake: async ({ chain }) => fingerprintOf(chain),
  }

  readonly acme = new FakeAuthority()
  readonly orders = this.acme.orders

  get ran(): string[] {
    return this.runs.map(({ line }) => line)
  }

  /** The program whose line begins so ends with a status and a message. */
  fail(start: string, message: string, code = 1, stdout = ''): void {
    this.#answers.unshift([start, { code, stdout, stderr: message }])
  }

  answer(start: string, stdout: string): void {
    this.#answers.unshift([start, { code: 0, stdout, stderr: '' }])
  }

  failSql(start: string, message: string): void {
    this.#sqlFailures.unshift([start, message])
  }

  /** The answer of a site's database to the scan. */
  async select(sql: string, values: readonly unknown[]): Promise<DatabaseRow[]> {
    return this.#rowsOf(sql, values) ?? []
  }

  rows(start: string, rows: Record<string, unknown>[]): void {
    this.#rows.unshift([start, rows])
  }

  /** The program whose line begins so runs until it is ended; a stubborn one by SIGKILL only. */
  hang(start: string, stubborn = false): void {
    this.hangs.push([start, stubborn])
  }

  #rowsOf(sql: string, values: readonly unknown[]): DatabaseRow[] | undefined {
    this.queries.push([sql, ...values.map(String)].join(' | '))
    const failure = this.#sqlFailures.find(([start]) => sql.startsWith(start))
    if (failure) throw new Error(`MariaDB: ${failure[1]}`)
    return this.#rows.find(([start]) => sql.startsWith(start))?.[1]
  }

  async #runToEnd(argv: readonly string[], options: RunOptions): Promise<Output> {
    const output = this.#run(argv, options)
    const line = argv.join(' ')
    const hang = this.hangs.find(([start]) => line.startsWith(start))
    if (!hang) return output
    const code = await new Promise<number>((end) => {
      this.hanging.push({ operation: options.operation ?? '', stubborn: hang[1], end })
    })
    return { ...output, code }
  }

  #signal(operation: string, name: string): void {
    this.signals.push(`${name} ${operation}`)
    const ends = (program: Hanging) =>
      program.operation === operation && (name === 'SIGKILL' || !program.stubborn)
    const ended = this.hanging.filter(ends)
    this.hanging = this.hanging.filter((program) => !ends(program))
    for (const { end } of ended) end(128)
  }

  #run(argv: readonly string[], options: RunOptions): Output {
    const line = argv.join(' ')
    if (this.sandboxed && this.init === 'systemd')
      refuseUnknown(argv, options, this.settings.program[0] ?? '')
    this.runs.push({ line, options })
    const answer = this.#answers.find(([start]) => line.startsWith(start))
    if (answer && answer[1].code !== 0) return answer[1]
    const output = this.table[programOf(argv)]?.(this, argv, options) ?? done()
    return answer?.[1] ?? output
  }

  #page(url: string): string {
    this.fetched.push(url)
    const page = this.pages.get(url)
    if (page === undefined) throw new Error(`${url} cannot be reached`)
    return page
  }

  #visited({ host, path, tls }: VisitRequest): VisitResult {
    const url = `${tls ? 'https' : 'http'}://${host}`
    this.visited.push(url + path)
    const page = this.visits.get(`${url}/`)
    return page ?? { status: 200, headers: {}, body: `<a href="//${host}/">`, ms: 50 }
  }

  #next(letter: string, length: number): string {
    this.#counter += 1
    return `${letter}${this.#counter}`.padEnd(length, letter).slice(0, length)
  }
}

export const fakeHost = () => new FakeHost()

/** A machine that runs programs which the agent itself never starts. */
export function freeHost(): FakeHost {
  const host = fakeHost()
  host.sandboxed = false
  return host
}
