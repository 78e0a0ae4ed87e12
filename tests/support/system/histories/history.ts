import { expect } from 'bun:test'
import type { Host } from '#tests/support/lab/index.ts'
import { Random } from '#tests/support/random.ts'
import type { Parts } from '#tests/support/system/backup-host.ts'
import { tablesOf } from './table-state.ts'
import { Tables } from './tables.ts'
import { changeTree, type Site } from './tree.ts'
import { differences, treeOf } from './tree-state.ts'

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
export interface Backups<Backup> {
  save(): Promise<Backup>
  restore(backup: Backup, parts: Parts): Promise<unknown>
  undo(): Promise<unknown>
}

/**
 * Random changes of files and tables with backups, restores and undos between them. After each of
 * these the whole site is compared with what it was before, or when the backup was made.
 */
export class History<Backup> {
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
