import { Database } from 'bun:sqlite'
import { existsSync, readFileSync } from 'node:fs'
import { isNumbered, type StoredEvent } from '#shared/kernel/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import type { Answer } from '#tests/support/system/dashboard.ts'
import type { Enrolled } from '#tests/support/system/enrolled.ts'
import { get } from '#tests/support/system/requests.ts'

/** Events of a server and its dashboard during an operation. */
export type Interruption =
  | 'the dashboard is killed'
  | 'the agent is killed'
  | 'no network'
  | 'no power'

export type Work = 'create' | 'update' | 'delete' | 'restore' | 'purge'
export const CYCLE: readonly Work[] = ['create', 'update', 'delete', 'restore', 'delete', 'purge']

/** The site's expected record, and whether it answers, after the work. */
const AFTER: Record<Work, { status: string; tier?: string; served: boolean } | undefined> = {
  create: { status: 'active', tier: 'small', served: true },
  update: { status: 'active', tier: 'medium', served: true },
  delete: { status: 'trashed', served: false },
  restore: { status: 'active', tier: 'medium', served: true },
  purge: undefined,
}

interface Told {
  id: number
  event: string
  data: string
}

/** A site of an enrolled server: its operations are interrupted and must match the machine afterwards. */
export class Chain {
  readonly world: Enrolled
  readonly domain: string
  #site = 0

  constructor(world: Enrolled, domain: string) {
    this.world = world
    this.domain = domain
  }

  /**
   * Runs one work with one interruption after its n-th stored event, and repeats it if it was rolled
   * back. Returns whether it had ended before the interruption, and what does not agree then.
   */
  async endure(
    work: Work,
    interruption: Interruption,
    after: number,
  ): Promise<{ met: 'before' | 'after' | 'too late'; problems: string[] }> {
    const id = await this.#begin(work)
    await lab.poll(() => this.#events(id).length >= after || this.#isOver(id), {
      every_ms: long ? 2 : 10,
    })
    const isHit = await this.#strike(interruption, id)
    const status = await this.#end(id)
    const problems = await this.#problems(id, work, status)
    if (status === 'success') return { met: isHit ? 'after' : 'too late', problems }
    const second = idOf(await this.world.dashboard.call('POST', `/api/operations/${id}/retry`))
    const end = await this.#end(second)
    problems.push(...unlike('end of the second attempt', end, 'success'))
    problems.push(...(await this.#problems(second, work, end)))
    return { met: 'before', problems }
  }

  async #begin(work: Work): Promise<string> {
    const { dashboard } = this.world
    const site = this.world.path(`/sites/${this.#site}`)
    if (work === 'create') {
      const input = { domain: this.domain, php: '8.2', tls: 'none' }
      const created = await dashboard.call('POST', this.world.path('/sites'), input)
      this.#site = (created.body.site as { id: number }).id
      return idOf(created)
    }
    if (work === 'update') return idOf(await dashboard.call('PATCH', site, { tier: 'medium' }))
    if (work === 'delete') return idOf(await dashboard.call('DELETE', site))
    const body = work === 'purge' ? { domain: this.domain } : {}
    return idOf(await dashboard.call('POST', `${site}/${work}`, body))
  }

  /** Returns whether the interruption came before the end that the interrupted one records. */
  async #strike(interruption: Interruption, id: string): Promise<boolean> {
    const { host } = this.world
    const isAtWork = () => !this.#eventsOfAgent(id).some(({ event }) => event !== 'log')
    if (interruption === 'the dashboard is killed') {
      await this.world.dashboard.process.stop('SIGKILL')
      const isHit = !this.#isOver(id)
      await this.world.restartDashboard()
      return isHit
    }
    if (interruption === 'the agent is killed') {
      await host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service'])
      return isAtWork()
    }
    if (interruption === 'no network') {
      await host.partition(true)
      const isHit = !this.#isOver(id)
      await Bun.sleep(1_000)
      await host.partition(false)
      return isHit
    }
    await host.powerOff()
    const isHit = isAtWork()
    await host.start()
    // An operation past its commit point ends before the last service of the boot.
    await host.exec(['systemctl', 'is-system-running', '--wait'])
    await this.#requireNoFailedUnit()
    return isHit
  }

  /** Throws with the journal of each unit that failed during the boot. */
  async #requireNoFailedUnit(): Promise<void> {
    const { host } = this.world
    const list = ['systemctl', 'list-units', '--failed', '--plain', '--no-legend']
    const failed = await host.must(list)
    if (failed === '') return
    const units = failed.split('\n').flatMap((line) => ['--unit', line.split(' ')[0] ?? ''])
    const journal = await host.must(['journalctl', '--boot', '--no-pager', ...units])
    throw new Error(`units failed after the power came back:\n${failed}${journal.slice(-4000)}`)
  }

  async #end(id: string): Promise<string> {
    const over = await lab.polled(() => this.#isOver(id))
    if (!over) throw new Error(`operation ${id} did not end: ${JSON.stringify(this.#events(id))}`)
    return this.#status(id)
  }

  #isOver(id: string): boolean {
    return !['queued', 'running'].includes(this.#status(id))
  }

  /** Dashboard and agent report the same, and both match the machine. */
  async #problems(id: string, work: Work, status: string): Promise<string[]> {
    const received = this.#events(id)
    const numbers = received.map((event) => event.id)
    const ends = received.filter(({ event }) => event !== 'log').map(({ event }) => event)
    const ofAgent = received.filter((event) => !isNotice(event))
    const numbered = ofAgent.map((event, index) => textOf({ ...event, id: index + 1 }))
    return [
      ...unlike(
        'numbers of events',
        numbers,
        [...numbers.keys()].map((at) => at + 1),
      ),
      ...unlike('ends', ends, [status === 'success' ? 'complete' : 'error']),
      ...unlike('events', numbered, this.#eventsOfAgent(id).map(textOf)),
      ...(status === 'success' ? unlike('state', await this.#state(), AFTER[work]) : []),
    ]
  }

  async #state(): Promise<unknown> {
    const { dashboard } = this.world
    const { status, body } = await dashboard.call('GET', `/api/fleet/sites/${this.#site}`)
    const served = await this.#isServed()
    if (status === 404) return served ? 'served still' : undefined
    const site = body.site as { status: string; tier: string }
    return served
      ? { status: site.status, tier: site.tier, served }
      : { status: site.status, served }
  }

  async #isServed(): Promise<boolean> {
    const page = await get(this.world.host, `http://${this.domain}/`).catch(() => undefined)
    return page?.status === 200 && page.body.includes(`//${this.domain}/`)
  }

  #status(id: string): string {
    const [row] = this.#query<{ status: string }>('select status from operations where id = ?', id)
    return row?.status ?? 'queued'
  }

  #events(id: string): Told[] {
    return this.#query(
      'select id, event, data from operation_events where operation_id = ? order by id',
      id,
    )
  }

  #query<Row>(sql: string, id: string): Row[] {
    const database = new Database(`${this.world.data_dir}/dashboard.db`, { readonly: true })
    try {
      return database.query(sql).all(id) as Row[]
    } finally {
      database.close()
    }
  }

  #eventsOfAgent(id: string): Told[] {
    const file = `${this.world.host.root}/var/lib/hosting-agent/operations/${id}/events.ndjson`
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    const events: StoredEvent[] = lines.map((line) => JSON.parse(line))
    return events
      .filter(isNumbered)
      .map(({ id, event, data }) => ({ id, event, data: JSON.stringify(data) }))
  }
}

const unlike = (what: string, is: unknown, expected: unknown): string[] =>
  Bun.deepEquals(is, expected)
    ? []
    : [`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(expected)}`]

const textOf = ({ id, event, data }: Told) => [id, event, JSON.parse(data).message]

/**
 * Returns whether an event is a notice of the dashboard itself: its server has not answered for
 * five seconds, for example while it boots.
 */
const isNotice = ({ data }: Told) =>
  String(JSON.parse(data).message).startsWith('Waiting for the server until ')

function idOf({ headers, status, body }: Answer): string {
  const id = headers.get('operation-id')
  if (id === null) throw new Error(`no operation: ${status} ${JSON.stringify(body)}`)
  return id
}

/** The server allows as many deletions as chains need. */
export async function unlimited(world: Enrolled): Promise<Enrolled> {
  const policy = JSON.stringify({ destructive_per_hour: 1000 })
  await world.host.put('/etc/hosting-agent/policy.json', policy, 0o600)
  return world
}
