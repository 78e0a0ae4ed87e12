import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { count } from 'drizzle-orm'
import { createApp } from '#dashboard/app.ts'
import { makeDeps } from '#dashboard/deps.ts'
import type { Mailer } from '#dashboard/features/alerts/mailer.ts'
import { makeToken } from '#dashboard/kernel/auth/api-tokens.ts'
import { cookieName } from '#dashboard/kernel/auth/cookie.ts'
import { makeFirstUser } from '#dashboard/kernel/auth/first-user.ts'
import { insertUser, partGrantStatements } from '#dashboard/kernel/auth/grants.queries.ts'
import { openSession } from '#dashboard/kernel/auth/sessions.ts'
import { type Database, openDatabase, writeAll } from '#dashboard/kernel/db/client.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { AnswerCache } from '#dashboard/kernel/http/answer-cache.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { type Clock, realClock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { jsonLog } from '#dashboard/kernel/runtime/log.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import type { TimeLimits } from '#dashboard/kernel/runtime/time-limits.ts'
import { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { ROUTES } from '#dashboard/routes.ts'
import type { NewToken } from '#shared/kernel/api/auth.ts'
import type { Grant, HeldGrants, PartGrant } from '#shared/kernel/rights.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { testWith } from '#tests/support/fixture.ts'
import { knownKey } from '#tests/support/key-pair.ts'
import { SEAL_SECRET } from '#tests/support/marks.ts'
import { checked } from '#tests/support/openapi/checked.ts'
import { ADMIN, copyRecords } from '#tests/support/records.ts'

export const { email: EMAIL, password: PASSWORD } = ADMIN

interface Options {
  clock?: Clock
  limits?: Partial<TimeLimits>
  public_url?: string
  builds_dir?: string
  production?: boolean
  mailer?: Mailer
  folder?: string
  /** Opens the records in this file. */
  open?: (file: string) => Promise<Database>
}

/** Retries within milliseconds; a slow machine must not count as an offline agent. */
const LIMITS: Partial<TimeLimits> = {
  contact_ms: 10_000,
  late_ms: 10_000,
  answer_ms: 10_000,
  deadline_ms: 60_000,
  retry_min_ms: 5,
  retry_max_ms: 20,
  response_timeout_ms: 20_000,
  dns_ms: 0,
}

/** Separate keys; the addresses of a private network are allowed. */
function trust(db: Database, clock: Clock, production: boolean) {
  const sealer = makeSealer(SEAL_SECRET, secureRandom)
  return {
    keys: new Keyring({ db, clock, random: secureRandom, sealer }),
    sealer,
    rules: { production, allow_private: true },
  }
}

type App = ReturnType<typeof createApp>
type Deps = Parameters<typeof createApp>[0]

/**
 * The apps of dashboards that have ended. An app compiles each route at its first call, which takes
 * longer than most tests, so that the next dashboard takes an app over, with deps of its own.
 */
const idle: { app: App; deps: Deps }[] = []

/** The real app with its own database, and a browser that is logged in. */
export class Dashboard {
  readonly folder: string
  readonly db: Database
  readonly deps: ReturnType<typeof makeDeps>
  readonly app: App
  readonly kept: AnswerCache
  readonly log: string[]
  token = ''
  #isEnded = false

  constructor(folder: string, db: Database, { limits, ...options }: Options) {
    this.folder = folder
    this.db = db
    this.log = []
    const clock = options.clock ?? realClock
    const log = jsonLog(
      (line) => this.log.push(line),
      () => clock.now(),
    )
    const deps = makeDeps({
      db,
      clock,
      random: secureRandom,
      log,
      marks: new Marks(SEAL_SECRET, log),
      secret: 's'.repeat(32),
      ...trust(db, clock, options.production ?? false),
      public_url: options.public_url,
      data_dir: folder,
      builds_dir: options.builds_dir,
      mailer: options.mailer,
      limits: { ...LIMITS, ...limits },
      make_key_pair: async () => knownKey('dashboard'),
      password_cost: { memory_kib: 8, rounds: 1 },
    })
    const taken = idle.pop()
    this.deps = taken ? Object.assign(taken.deps, deps) : deps
    this.app = taken?.app ?? createApp(deps)
    this.kept = new AnswerCache(this.deps, ROUTES)
  }

  /**
   * As the logged-in browser; a body that is not a string is sent as JSON. Fails for an answer that
   * is not in the OpenAPI document.
   */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(this.token === ''
          ? {}
          : { cookie: `${cookieName('session', this.deps)}=${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    })
    return checked({ method, path, body }, await this.answer(request))
  }

  /** As the listening server does. */
  async answer(request: Request): Promise<Response> {
    const { kept, app } = this
    return kept.answer(request, () => app.handle(request))
  }

  /** Status and body of an answer. */
  async call(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const response = await this.send(method, path, body, headers)
    const text = await response.text()
    return { status: response.status, body: text === '' ? '' : JSON.parse(text) }
  }

  /** A server whose agent is the fake one. */
  async addServer({ port }: { port: number }): Promise<number> {
    const { body } = await this.call('POST', '/api/servers', { hostname: '127.0.0.1', port })
    return body.server.id
  }

  /** The id of a new site that its agent has created. */
  async addSite(server_id: number, fields: object = { domain: 'shop.example' }): Promise<number> {
    const { body } = await this.call('POST', `/api/servers/${server_id}/sites`, fields)
    const { id } = body.site
    await until(async () => {
      const shown = await this.call('GET', `/api/fleet/sites/${id}`)
      return shown.body.site.status === 'active'
    })
    return id
  }

  async signIn(): Promise<void> {
    await makeFirstUser(this.deps, { ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: PASSWORD })
    const user = { id: 1, email: EMAIL, name: 'Administrator' }
    this.token = await openSession(this.deps, user)
  }

  /** Makes another account, and returns the headers of a session of it. */
  async signInWith(
    gives: readonly Grant[],
    parts: readonly PartGrant[] = [],
  ): Promise<{ cookie: string }> {
    const { deps } = this
    const [counted] = await this.db.read.select({ total: count() }).from(users)
    const id = (counted?.total ?? 0) + 1
    const user = { id, email: `account-${id}@control.example`, name: `Account ${id}` }
    const given_at = timestamp(deps.clock)
    const password_hash = await deps.passwords.hash(new Secret(PASSWORD))
    await insertUser(deps, { ...user, password_hash, created_at: given_at }, gives)
    await writeAll(this.db, (queries) =>
      partGrantStatements(queries, deps.marks, { user_id: id, parts, given_at }),
    )
    return { cookie: `${cookieName('session', deps)}=${await openSession(deps, user)}` }
  }

  /** Makes an account with these grants, and returns the headers of a new API token of it. */
  async tokenWith(
    held: HeldGrants,
    token: Partial<NewToken> = {},
  ): Promise<{ cookie: string; authorization: string }> {
    await this.signInWith(held.grants, held.parts)
    const [counted] = await this.db.read.select({ total: count() }).from(users)
    const user_id = counted?.total ?? 0
    const user = { id: user_id, email: '', name: '' }
    // An owner may limit it to every part, also to those where the account has no rights.
    const by: Caller = { user, jti: '', grants: ['owner'], parts: [] }
    const made = await makeToken(this.deps, by, {
      user_id,
      token: {
        name: 'script',
        scope: 'admin',
        expires_in_days: 1,
        addresses: null,
        only_for: null,
        ...token,
      },
    })
    return { cookie: '', authorization: `Bearer ${made.plaintext.reveal()}` }
  }

  /** Like the end of a process: the records stay. */
  async stop(): Promise<void> {
    const { worker, bulks, scheduler } = this.deps
    await Promise.all([worker.stop(), bulks.stop(), scheduler.stop()])
    this.db.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await rm(this.folder, { recursive: true, force: true })
    if (!this.#isEnded) idle.push({ app: this.app, deps: this.deps })
    this.#isEnded = true
  }
}

export async function makeDashboard(options: Options = {}): Promise<Dashboard> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'dashboard-')))
  const file = `${folder}/test.db`
  if (!existsSync(file)) await copyRecords(file)
  const open = options.open ?? ((path) => openDatabase(`file:${path}`))
  const db = await open(file)
  const dashboard = new Dashboard(folder, db, options)
  await dashboard.signIn()
  return dashboard
}

/** A test with a dashboard of its own. */
export const dashboardTest = testWith(makeDashboard)

/** Ends a dashboard and its agents with the test or the block that has them. */
export const ending = (dashboard: Dashboard, ...agents: FakeAgent[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await dashboard[Symbol.asyncDispose]()
    await Promise.all(agents.map((agent) => agent.stop()))
  },
})

async function makeServed() {
  const agent = new FakeAgent()
  const dashboard = await makeDashboard()
  return { agent, dashboard, ...ending(dashboard, agent) }
}

/** A test with a dashboard and an agent of its own, which is not yet in its records. */
export const agentTest = testWith(makeServed)

async function makeServer() {
  const served = await makeServed()
  return { ...served, server: await served.dashboard.addServer(served.agent) }
}

/** A test with a dashboard and an agent of its own; `server` is the id of the agent's server. */
export const serverTest = testWith(makeServer)

/** The same, after the agent has created shop.example as the first site. */
export const siteTest = testWith(async () => {
  const home = await makeServer()
  await home.dashboard.addSite(home.server)
  return home
})

/**
 * Resolves with the first value that is not undefined or false; fails after twenty seconds. It looks
 * less and less often: a look takes the processor from the work that it waits for.
 */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = Date.now() + 20_000
  for (let pause = 2; Date.now() < end; pause = Math.min(2 * pause, 16)) {
    const value = await look()
    if (value !== undefined && value !== false) return value
    await Bun.sleep(pause)
  }
  throw new Error('It did not come to pass within twenty seconds')
}
