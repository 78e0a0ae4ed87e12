import { Database } from 'bun:sqlite'
import { existsSync, readFileSync } from 'node:fs'
import { isNumbered, type StoredEvent } from '#shared/kernel/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { unlimited } from '#tests/support/system/sweep/chain.ts'
import { confirmKit } from './confirm-kit.ts'
import { type Enrolled, startEnrolled } from './enrolled.ts'

const STORE = '/mnt/store'
const SECONDS = 1000

type Type = 'backup.create' | 'backup.restore'
interface Recorded {
  id: string
  status: string
}

/**
 * When the dashboard is killed: after so many stored events, or so late that the agent has ended
 * what the dashboard, which is stopped, has not seen.
 */
export type Moment = number | 'unseen'

/** An enrolled server with a backup target, whose dashboard is killed in the middle of its work. */
export class KilledDashboard {
  readonly world: Enrolled

  private constructor(world: Enrolled) {
    this.world = world
  }

  static async start(): Promise<KilledDashboard> {
    const world = await unlimited(await startEnrolled('bookworm'))
    await putRestic(world.host)
    await world.host.must(['install', '-d', '-m', '0700', STORE])
    await confirmKit(world.dashboard)
    await world.dashboard.call('PUT', '/api/settings/backup_every', { value: 'off' })
    const input = { name: 'A folder', place: { kind: 'local', path: STORE } }
    const { body } = await world.dashboard.call('POST', '/api/backup-targets', input)
    const target_id = (body.target as { id: number }).id
    await world.dashboard.stream('POST', world.path('/backup-check'), { target_id })
    return new KilledDashboard(world)
  }

  query<Row>(sql: string, ...values: (string | number)[]): Row[] {
    const database = new Database(`${this.world.data_dir}/dashboard.db`, { readonly: true })
    try {
      return database.query(sql).all(...values) as Row[]
    } finally {
      database.close()
    }
  }

  /** Newest first. */
  operations(site: number, type: Type): Recorded[] {
    const sql = `select id, status from operations where site_id = ? and type = ?
      order by created_at desc, rowid desc`
    return this.query(sql, site, type)
  }

  /** The operation that follows `known` ones, as soon as it is recorded. */
  async appears(site: number, type: Type, known: number): Promise<string> {
    const isThere = () => this.operations(site, type).length > known
    await lab.poll(isThere, { every_ms: 10, awaited: `a ${type} has started` })
    return this.operations(site, type)[0]?.id ?? ''
  }

  /**
   * Kills the dashboard at a moment of an operation, starts it again, and returns how the operation
   * ended. Throws if the dashboard had recorded the end before it was killed.
   */
  async killedAt(id: string, moment: Moment): Promise<string> {
    const { child, stop } = this.world.dashboard.process
    const stored = () => this.events(id).length
    await lab.poll(() => stored() >= (moment === 'unseen' ? 1 : moment), { every_ms: 10 })
    if (moment === 'unseen') {
      child.kill('SIGSTOP')
      await lab.poll(() => endOf(this.eventsOfAgent(id)) !== undefined)
    }
    await stop('SIGKILL')
    const isOver = () => !['queued', 'running'].includes(this.#status(id))
    if (isOver()) throw new Error(`${id} had ended before the kill at ${moment}`)
    await this.world.restartDashboard()
    await lab.poll(isOver, { awaited: `the end of ${id}` })
    const [failed] = this.events(id).filter(([event]) => event === 'error')
    return failed ? `failed: ${failed[1]}` : this.#status(id)
  }

  /** As the dashboard has them. */
  events(id: string): string[][] {
    const sql = `select event, data from operation_events where operation_id = ? order by id`
    return this.query<{ event: string; data: string }>(sql, id).map(({ event, data }) =>
      textOf(event, JSON.parse(data)),
    )
  }

  eventsOfAgent(id: string): string[][] {
    const file = `${this.world.host.root}/var/lib/hosting-agent/operations/${id}/events.ndjson`
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const events: StoredEvent[] = lines.map((line) => JSON.parse(line))
    return events.filter(isNumbered).map(({ event, data }) => textOf(event, data))
  }

  /** How many snapshots a repository has. */
  async snapshots(user: string): Promise<number> {
    const listed = await this.world.host.must(['ls', `${STORE}/${user}/snapshots`])
    return listed.split('\n').filter(Boolean).length
  }

  /** As if these days had passed since the last backups. The dashboard is restarted. */
  async age(days: number): Promise<void> {
    this.world.dashboard.process.child.kill('SIGKILL')
    const at = new Date(Date.now() - days * 24 * 3600 * SECONDS).toISOString()
    const database = new Database(`${this.world.data_dir}/dashboard.db`)
    database.query('update backups set at = ?, recorded_at = ?').run(at, at)
    database.close()
    await this.world.restartDashboard()
  }

  #status(id: string): string {
    const sql = 'select id, status from operations where id = ?'
    return this.query<Recorded>(sql, id)[0]?.status ?? 'queued'
  }
}

const textOf = (event: string, data: Record<string, unknown>) => [event, String(data.message ?? '')]

/** The last event, if it ends the operation. */
const endOf = (events: readonly string[][]): string | undefined =>
  events.map(([event]) => event).find((event) => event !== 'log')
