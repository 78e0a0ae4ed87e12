// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { Random, seed } from '#tests/support/random.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { BackupHost, type Parts, type Saved, SITE } from '#tests/support/system/backup-host.ts'
import { tablesOf } from '#tests/support/system/histories/table-state.ts'
import { Tables } from '#tests/support/system/histories/tables.ts'
import { changeTree, type Site } from '#tests/support/system/histories/tree.ts'
import { differences, treeOf } from '#tests/support/system/histories/tree-state.ts'

interface State {
  files: Map<string, string>
  database: Map<string, string>
}

const PARTS: readonly Parts[] = [
  { files: true, database: true },
  { files: true, database: false },
  { files: false, database: true },
]

/** What a history does with the site beside changing it. */
interface Backups<Backup> {
  save(): Promise<Backup>
  restore(backup: Backup, parts: Parts): Promise<unknown>
  undo(): Promise<unknown>
}

/**
 * Random changes of files and tables with backups, restores and undos between them. After each of
 * these the whole site is compared with what it was before, or when the backup was made.
 */
class History<Backup> {
  readonly #random: Random
  readonly #host: Host
  readonly #site: Site & { database: string }
  readonly #backups: Backups<Backup>
  readonly #tables = new Tables()
  readonly #saved: { backup: Backup; state: State }[] = []
  #undone: Partial<State> | undefined
  #changes = 0
  /** Readable, for the message of a failure. */
  readonly steps: string[] = []

  constructor(
    seed: number,
    host: Host,
    site: Site & { database: string },
    backups: Backups<Backup>,
  ) {
    this.#random = new Random(seed)
    this.#host = host
    this.#site = site
    this.#backups = backups
  }

  async run(): Promise<void> {
    await this.#change(80)
    await this.#save()
    for (let count = this.#random.between(1, 3); count > 0; count -= 1) {
      await this.#change(this.#random.below(20))
      if (this.#random.chance(0.3)) await this.#save()
      else await this.#restore()
      if (this.#undone && this.#random.chance(0.4)) await this.#undo()
    }
  }

  async #change(count: number): Promise<void> {
    this.steps.push(`${count} changes`)
    const statements = ["SET SESSION sql_mode = '';"]
    for (let index = 0; index < count; index += 1) {
      this.#changes += 1
      changeTree(this.#random, this.#site, this.#changes)
      statements.push(this.#tables.change(this.#random, this.#changes))
    }
    const client = ['mariadb', '--force', '--default-character-set=utf8mb4', '--binary-mode']
    await this.#host.exec([...client, this.#site.database], { input: statements.join('\n') })
  }

  async #save(): Promise<void> {
    this.steps.push('backup')
    const state = await this.#state()
    const backup = await this.#backups.save()
    await this.#expect(state)
    this.#saved.push({ backup, state })
  }

  async #restore(): Promise<void> {
    const { backup, state } = this.#random.pick(this.#saved)
    const parts = this.#random.pick(PARTS)
    this.steps.push(
      `restore ${this.#saved.findIndex((each) => each.backup === backup)} ${JSON.stringify(parts)}`,
    )
    const before = await this.#state()
    await this.#backups.restore(backup, parts)
    await this.#expect({
      files: parts.files ? state.files : before.files,
      database: parts.database ? state.database : before.database,
    })
    this.#undone = {
      ...(parts.files && { files: before.files }),
      ...(parts.database && { database: before.database }),
    }
  }

  async #undo(): Promise<void> {
    this.steps.push('undo')
    const present = await this.#state()
    await this.#backups.undo()
    await this.#expect({ ...present, ...this.#undone })
    this.#undone = undefined
  }

  async #state(): Promise<State> {
    return {
      files: treeOf(this.#site.root),
      database: await tablesOf(this.#host, this.#site.database),
    }
  }

  async #expect(expected: State): Promise<void> {
    const state = await this.#state()
    const found = [
      ...differences(state.files, expected.files),
      ...differences(state.database, expected.database),
    ]
    expect([this.steps, found]).toEqual([this.steps, []])
  }
}

const MINUTES = 60_000
const HISTORIES = long ? 200 : 6
const HOSTS = long ? 2 : 1

unless(lab.available()).describe('a site with a random history', () => {
  const servers: BackupHost[] = []

  const backupsOn = (server: BackupHost) => ({
    save: () => server.save(),
    restore: (saved: Saved, parts: Parts) =>
      server.completed('backup.restore', server.restoring(saved, parts)),
    undo: () => server.completed('backup.undo', { domain: SITE.domain }),
  })

  async function live(server: BackupHost, from: number): Promise<void> {
    await server.empty()
    const history = new History(from, server.host, server.site(), backupsOn(server))
    await history.run().catch((error: unknown) => {
      throw new Error(`HOSTING_SEED=${from} begins with this failure`, { cause: error })
    })
    expect(history.steps.length).toBeGreaterThan(3)
    if (long) console.log(`${from}: ${history.steps.join(', ')}`)
  }

  beforeAll(async () => {
    for (let at = 0; at < HOSTS; at += 1) {
      const server = await BackupHost.start(`histories-${at}`)
      await server.quicken()
      servers.push(server)
    }
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test(
    'is restored with every byte and row, as each backup had them',
    async () => {
      const first = seed()
      const seeds = Array.from({ length: HISTORIES }, (_, at) => first + at)
      const lane = async (server: BackupHost) => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          await live(server, seed)
        }
      }
      await Promise.all(servers.map(lane))
    },
    (long ? 240 : 15) * MINUTES,
  )
})
