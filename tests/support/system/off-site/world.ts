import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DashboardBackup } from '#shared/recovery/api/dashboard-backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { putRestic, resticPackage, type Target } from '#tests/support/storage/restic.ts'
import { confirmKit } from '#tests/support/system/confirm-kit.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'

const PRELOAD = fileURLToPath(new URL('./quick-sweeps.ts', import.meta.url))
const DAY_MS = 24 * 3600_000
/** A restic of the dashboard may stand still for so many seconds. */
export const STALL = 8

/** A dashboard with an enrolled server that saves its own records. */
export class OffSiteWorld {
  readonly enrolled: Enrolled

  private constructor(enrolled: Enrolled) {
    this.enrolled = enrolled
  }

  static async start(): Promise<OffSiteWorld> {
    const env = { BACKUPS_STALL: String(STALL), BUN_OPTIONS: `--preload=${PRELOAD}` }
    const enrolled = await startEnrolled('bookworm', env)
    await putRestic(enrolled.host)
    await Bun.write(`${enrolled.data_dir}/cache/restic.deb`, Bun.file(await resticPackage()))
    await confirmKit(enrolled.dashboard)
    return new OffSiteWorld(enrolled)
  }

  get data_dir(): string {
    return this.enrolled.data_dir
  }

  call = (method: string, path: string, body?: unknown) =>
    this.enrolled.dashboard.call(method, path, body)

  /** Sets the target of the dashboard, and returns the error of its check. */
  async set({ place, secret }: Target): Promise<string | null> {
    const path = '/api/fleet/dashboard-backup/target'
    const { status, body } = await this.call('PUT', path, { place, secret })
    if (status !== 200) throw new Error(`${status} ${body.message}`)
    return (await this.ended()).error
  }

  /** The error of a check of the target that is set; null: there is none. */
  async check(): Promise<string | null> {
    const { status } = await this.call('POST', '/api/fleet/dashboard-backup/check')
    if (status !== 202) throw new Error(`The check was answered with ${status}`)
    return (await this.ended()).error
  }

  /** Adds a target for sites. */
  async add(name: string, { place, secret }: Target): Promise<number> {
    const { body } = await this.call('POST', '/api/backup-targets', { name, place, secret })
    return (body.target as { id: number }).id
  }

  async state(): Promise<DashboardBackup> {
    return (await this.call('GET', '/api/fleet/dashboard-backup')).body.backup as DashboardBackup
  }

  async request(): Promise<void> {
    const { status, body } = await this.call('POST', '/api/fleet/dashboard-backup')
    if (status !== 202 || body.obstacle !== null) throw new Error(`${status} ${body.obstacle}`)
  }

  /** The state when the requested backup has ended. */
  async ended(): Promise<DashboardBackup> {
    const isOver = async () => (await this.state()).requested_at === null
    await lab.poll(isOver, { every_ms: 50 })
    return this.state()
  }

  /** Why a backup that is made now fails; null: it does not. */
  async save(): Promise<string | null> {
    await this.request()
    return (await this.ended()).error
  }

  /** The reasons of the overview. */
  async reasons(): Promise<string[]> {
    const { attention } = (await this.call('GET', '/api/fleet')).body as {
      attention: { kind: string; items: { reason: string }[] }[]
    }
    const group = attention.find(({ kind }) => kind === 'dashboard_backup')
    return group?.items.map(({ reason }) => reason) ?? []
  }

  /** As if the last attempt, or the last success alone, had been some days ago. */
  age(times: Partial<Pick<DashboardBackup, 'tried_at' | 'saved_at'>>): void {
    const sql = `update settings set value = json_patch(value, ?) where key = 'off_site_backup'`
    this.records((database) => database.query(sql).run(JSON.stringify(times)))
  }

  /** The dashboard has no password of its repository. */
  forget(): { undo: () => void } {
    const all = 'dashboard_repositories'
    const known = this.records((database) => {
      const rows = database.query(`select id, place, kit_id, sealed_password from ${all}`).values()
      database.run(`delete from ${all}`)
      return rows
    })
    const undo = () =>
      this.records((database) => {
        database.run(`delete from ${all}`)
        const insert = `insert into ${all} (id, place, kit_id, sealed_password) values (?, ?, ?, ?)`
        for (const row of known) database.run(insert, row as string[])
      })
    return { undo }
  }

  records<T>(work: (database: Database) => T): T {
    const database = new Database(`${this.data_dir}/dashboard.db`)
    try {
      database.run('pragma busy_timeout = 5000')
      return work(database)
    } finally {
      database.close()
    }
  }

  /** The number of its restic with these words, as soon as it runs, and has read so many bytes. */
  async restic(words: string, read: number): Promise<number> {
    const parent = this.enrolled.dashboard.process.child.pid ?? 0
    const find = () => childrenOf(parent).find((pid) => isRestic(pid, words, read))
    return lab.poll(find, { every_ms: 5, awaited: `restic ${words} runs` })
  }

  /** Makes a backup whose restic stands still while `fault` happens. The dashboard answers meanwhile. */
  async during(words: string, read: number, fault: (pid: number) => Promise<unknown>) {
    await this.request()
    const pid = await this.restic(words, read)
    process.kill(pid, 'SIGSTOP')
    await fault(pid)
    const { status } = await this.call('GET', '/api/fleet')
    if (status !== 200) throw new Error(`The dashboard answers ${status} meanwhile`)
    try {
      process.kill(pid, 'SIGCONT')
    } catch {
      // It was killed.
    }
    return (await this.ended()).error
  }
}

export const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)

function isRestic(pid: number, words: string, bytes: number): boolean {
  if (read(`/proc/${pid}/comm`) !== 'restic\n') return false
  if (!read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').includes(` ${words} `)) return false
  return Number(/^pos:\s*(\d+)/.exec(read(`/proc/${pid}/fdinfo/0`))?.[1]) >= bytes
}
