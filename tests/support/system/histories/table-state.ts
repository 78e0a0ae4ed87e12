import { readFileSync } from 'node:fs'
import type { Host } from '#tests/support/lab/index.ts'
import { quoted } from './columns.ts'

const CLIENT = ['--default-character-set=utf8mb4', '--batch', '--skip-column-names']
const DUMP = [
  '--skip-comments',
  '--skip-extended-insert',
  '--skip-opt',
  '--create-options',
  '--quote-names',
]

/** The definition, the checksum and the sorted rows of each table, by its name. */
export async function tablesOf(host: Host, database: string): Promise<Map<string, string>> {
  const ask = (input: string) => host.must(['mariadb', ...CLIENT, database], { input })
  const listed = await ask(
    'SELECT HEX(TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1;',
  )
  const names = listed
    .split('\n')
    .filter(Boolean)
    .map((hex) => Buffer.from(hex, 'hex').toString())
  if (names.length === 0) return new Map()
  const sums = (
    await ask(names.map((name) => `CHECKSUM TABLE ${quoted(name)} EXTENDED;`).join('\n'))
  ).split('\n')
  await host.must(['mariadb-dump', ...DUMP, `--result-file=${FILE}`, database])
  const rows = partsOf(readFileSync(host.root + FILE))
  await host.must(['rm', FILE])
  return new Map(
    names.map((name, at) => {
      const own = rows.get(name) ?? []
      return [name, `${sums[at]?.split('\t').at(-1)} ${own.length} lines ${hash(own)}`]
    }),
  )
}

const FILE = '/root/tables.sql'
const NEWLINE = 10
/** In bytes: a name has up to 64 characters, and the quotes in it are doubled. */
const LONGEST = 600
const BEGIN = /^CREATE (?:TABLE|SEQUENCE) `((?:[^`]|``)*)`/

/** The hashes of the lines of a dump by their tables: a dump can have some hundred megabytes. */
function partsOf(dump: Buffer): Map<string, bigint[]> {
  const parts = new Map<string, bigint[]>()
  let part: bigint[] = []
  for (let at = 0; at < dump.length; ) {
    const found = dump.indexOf(NEWLINE, at)
    const end = found === -1 ? dump.length : found
    // A name can contain a newline.
    const name = BEGIN.exec(dump.toString('utf8', at, at + LONGEST))?.[1]
    if (name !== undefined) {
      part = []
      parts.set(name.replaceAll('``', '`'), part)
    }
    part.push(Bun.hash.wyhash(dump.subarray(at, end)))
    at = end + 1
  }
  return parts
}

const hash = (lines: readonly bigint[]) => Bun.hash([...lines].sort().join('\n')).toString(36)
