import type { Buffer } from 'node:buffer'
import { afterBlank, afterToken, afterWord, isWord } from './sql.ts'

/** A table and its columns in the order of a row, as far as the dump names them. */
export interface TableHead {
  table: string
  columns: readonly string[]
  /** The position after the head. */
  at: number
}

type Token = { text: string; kind: 'word' | 'quoted' | 'other'; end: number }

/** Any token that is not blank; names are without their quotes. Undefined: the input ends first. */
function tokenAt(bytes: Buffer, from: number, end: number, backslashes: boolean) {
  const at = afterBlank(bytes, from, end)
  if (at < 0) return undefined
  const byte = bytes[at]
  const word = isWord(byte)
  const stop = word ? afterWord(bytes, at, end) : afterToken(bytes, at, end, backslashes)
  if (stop < 0) return undefined
  const text = bytes.toString('utf8', at, stop)
  const isQuoted = byte === 96 || byte === 34
  const kind = isQuoted ? 'quoted' : word ? 'word' : 'other'
  return { text: isQuoted ? unquoted(text) : text, kind, end: stop } satisfies Token
}

const unquoted = (name: string) => {
  const quote = name[0] ?? ''
  return name.slice(1, -1).replaceAll(quote + quote, quote)
}

export function* tokensOf(bytes: Buffer, from: number, end: number, backslashes: boolean) {
  let at = from
  for (let token = next(); token; token = next()) yield token
  function next(): Token | undefined {
    const token = tokenAt(bytes, at, end, backslashes)
    at = token?.end ?? at
    return token
  }
}

/**
 * Reads `INSERT INTO table (columns) VALUES`. Undefined: the input ends before VALUES; null: the
 * statement has no list of values.
 */
export function insertHead(
  bytes: Buffer,
  from: number,
  end: number,
  backslashes: boolean,
): TableHead | null | undefined {
  const names: string[] = []
  let table: string | undefined
  for (const { text, kind, end: at } of tokensOf(bytes, from, end, backslashes)) {
    const word = wordOf({ text, kind })
    if (VALUES.has(word)) return headOf(table, names, at)
    if (NO_VALUES.has(word)) return null
    if (kind !== 'other') names.push(text)
    // Names in parentheses are columns.
    else if (text === '(') table = names.splice(0).pop()
  }
  return undefined
}

function headOf(table: string | undefined, names: readonly string[], at: number): TableHead {
  if (table === undefined) return { table: names.at(-1) ?? '', columns: [], at }
  return { table, columns: names, at }
}

const wordOf = ({ text, kind }: Pick<Token, 'text' | 'kind'>) =>
  kind === 'quoted' ? '' : text.toUpperCase()

const VALUES = new Set(['VALUES', 'VALUE'])
const NO_VALUES = new Set(['SELECT', 'SET', ';'])

/** The columns of a whole `CREATE TABLE`. Other statements have some, too, and no rows. */
export function createdTable(bytes: Buffer, from: number, end: number, backslashes: boolean) {
  const tokens = tokensOf(bytes, from, end, backslashes)
  const words: string[] = []
  for (const { text, kind } of tokens) {
    if (kind !== 'other') words.push(text)
    else if (text === '(') return { ...tableOf(words), columns: [...columnsOf(tokens)] }
  }
  return { ...tableOf(words), columns: [] }
}

function tableOf(words: readonly string[]) {
  const kind = words[1]?.toUpperCase()
  if (kind === 'SEQUENCE') return { table: words[2] ?? '', is_table: true }
  return { table: words.at(-1) ?? '', is_table: kind === 'TABLE' }
}

/** The first names of the definitions, without keys. */
function* columnsOf(tokens: Iterable<Token>): Generator<string> {
  let depth = 1
  let isFirst = true
  for (const { text, kind } of tokens) {
    const isKey = KEYS.has(wordOf({ text, kind }))
    if (isFirst && kind !== 'other' && !isKey) yield text
    if (kind === 'other') depth += DEPTHS[text] ?? 0
    if (depth === 0) return
    isFirst = depth === 1 && kind === 'other' && text === ','
  }
}

const DEPTHS: Record<string, number> = { '(': 1, ')': -1 }
const KEYS = new Set(
  'PRIMARY KEY UNIQUE INDEX FULLTEXT SPATIAL CONSTRAINT FOREIGN CHECK PERIOD VECTOR'.split(' '),
)
