import type { Buffer } from 'node:buffer'
import { tokensOf } from './tables.ts'

/** What mariadb-dump writes around the sections of its tables. */
const AROUND = new Set(['', 'SET', 'UNLOCK', 'START', 'COMMIT'])

/** The words that stand between the first word of a statement and the name of its table. */
const BEFORE_NAME = new Set(
  'TABLE TABLES SEQUENCE IF NOT EXISTS OR REPLACE INTO IGNORE SETVAL ('.split(' '),
)

/** Decides which statements of a dump belong to the tables that were asked for. */
export class ChosenTables {
  readonly #chosen: ReadonlySet<string> | undefined
  readonly #missing: Set<string>

  /** Without a list, all statements pass. */
  constructor(tables: readonly string[] | undefined) {
    this.#chosen = tables && new Set(tables)
    this.#missing = new Set(tables)
  }

  has(table: string): boolean {
    return this.#chosen?.has(table) ?? true
  }

  /** A whole statement, of which `name` is the first word. */
  passes(
    bytes: Buffer,
    { start, end, name }: { start: number; end: number; name: string },
    backslashes: boolean,
  ): boolean {
    if (!this.#chosen || AROUND.has(name)) return true
    const table = subjectOf(bytes, start + name.length, end, backslashes)
    if (name === 'CREATE') this.#missing.delete(table)
    return this.#chosen.has(table)
  }

  /** The tables of the list that the dump has not created until now. */
  get missing(): string[] {
    return [...this.#missing]
  }
}

/** The first name of a statement, without its database. */
function subjectOf(bytes: Buffer, from: number, end: number, backslashes: boolean): string {
  let name = ''
  let isExpected = true
  for (const { text, kind } of tokensOf(bytes, from, end, backslashes)) {
    if (name === '' && kind !== 'quoted' && BEFORE_NAME.has(text.toUpperCase())) continue
    const isDot = kind === 'word' && text === '.'
    if (kind === 'other' || !(isDot || isExpected)) break
    if (!isDot) name = text
    isExpected = isDot
  }
  return name
}
