import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { z } from 'zod'
import { Sqld } from '#scripts/lib/sqld.ts'
import { Client, eventsOf } from '#tests/support/client.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import {
  ADMIN,
  type Environment,
  type Running,
  startDashboard,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { freePort } from '#tests/support/start-script.ts'

/** One of several dashboards, and a browser that is logged in to it. */
export interface Member {
  dashboard: Running
  client: Client
  /** Its DATA_DIR. */
  data: string
  /** The shares that it has, by its log. */
  shares(): Set<string>
}

const SHARES = `select holder, count(*) as shares from leases
  where name not like 'dashboard %' and expires > unixepoch('subsec') * 1000 group by holder`

/** A libSQL server, and dashboards that share it and the secrets of the first. */
export class SharedRecords {
  readonly sqld: Sqld
  readonly #folder: string
  #started = 0
  #cookie: string | undefined

  private constructor(folder: string, sqld: Sqld) {
    this.#folder = folder
    this.sqld = sqld
  }

  static async start(): Promise<SharedRecords> {
    const folder = await temporaryFolder('leases')
    const sqld = await Sqld.prepare(join(folder, 'sqld'), await freePort())
    await sqld.start()
    return new SharedRecords(folder, sqld)
  }

  async add(more: Environment = {}): Promise<Member> {
    const data = join(this.#folder, `dashboard-${++this.#started}`)
    await mkdir(data)
    const first = join(this.#folder, 'dashboard-1')
    for (const secret of this.#started === 1 ? [] : ['jwt-secret', 'seal-secret'])
      await cp(join(first, secret), join(data, secret))
    const { url, token_file } = this.sqld
    const own = { DATABASE_URL: url, DATABASE_AUTH_TOKEN_FILE: token_file, BACKUPS_KEPT: '0' }
    const env = { ...own, ...more }
    const dashboard = await startDashboard(data, env)
    const client = new Client(dashboard.url, this.#cookie)
    if (this.#cookie === undefined) await client.login(ADMIN)
    this.#cookie = client.cookie ?? ''
    return { dashboard, client, data, shares: () => sharesOf(dashboard.output.err) }
  }

  /** The rows of a query on the server itself. */
  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const authToken = (await Bun.file(this.sqld.token_file).text()).trim()
    const client = createClient({ url: this.sqld.url, authToken })
    try {
      return (await client.execute(sql)).rows.map((row) => ({ ...row }))
    } finally {
      client.close()
    }
  }

  /** How many shares each dashboard has, most first. */
  async shares(): Promise<number[]> {
    const rows = await this.rows(SHARES)
    return rows.map((row) => Number(row.shares)).sort((a, b) => b - a)
  }

  async stop(): Promise<void> {
    await this.sqld.kill()
  }
}

export async function streamed(client: Client, path: string) {
  return eventsOf((await client.get(path)).text)
}

/** Looks until it is so; the ms that it took. */
export async function until(
  what: string,
  look: () => Promise<boolean>,
  most_ms = 30_000,
): Promise<number> {
  const start = performance.now()
  while (!(await look())) {
    if (performance.now() - start > most_ms) throw new Error(`Not within ${most_ms} ms: ${what}`)
    await Bun.sleep(20)
  }
  return performance.now() - start
}

const Line = z.object({
  message: z.literal('leases changed'),
  gained: z.string(),
  lost: z.string(),
})

function sharesOf(log: string): Set<string> {
  const shares = new Set<string>()
  for (const line of log.split('\n').filter((text) => text.includes('leases changed'))) {
    const { gained, lost } = Line.parse(JSON.parse(line))
    for (const name of lost.split(', ')) shares.delete(name)
    for (const name of gained.split(', ')) if (name !== '') shares.add(name)
  }
  return shares
}

/** Three dashboards with three servers, which are these agents in turn. */
export async function startThree(...agents: [FakeAgent, ...FakeAgent[]]) {
  const records = await SharedRecords.start()
  const first = await records.add()
  const members: [Member, ...Member[]] = [first, await records.add(), await records.add()]
  await until('even shares', async () => Bun.deepEquals(await records.shares(), [6, 6, 5]))
  for (let server = 0; server < 3; server++) {
    const { port } = agents[server % agents.length] ?? agents[0]
    await first.client.post('/api/servers', { hostname: '127.0.0.1', port })
  }
  return { records, members }
}

const site = (domain: string) => ({ domain, php: '8.2', tls: 'none' })

export async function create(member: Member, server: number, domain: string): Promise<string> {
  const answer = await member.client.post(`/api/servers/${server}/sites`, site(domain))
  return answer.headers.get('operation-id') ?? answer.text
}

/** Operations that have not exactly one end, or are not over. */
export const ODD = `select id, status from operations where status <> 'success' or
  (select count(*) from operation_events where operation_id = operations.id and event <> 'log') <> 1`
