import type { Output, RunOptions } from '#agent/host/ports.ts'
import { freshKit } from '../../wordpress/kits.ts'
import type { Database, Machine } from '../machine.ts'
import { file } from '../nodes.ts'
import { done, failed, lastOf } from './output.ts'

/** What a dump holds cannot be told from its text: a name stands for it. */
const dumps = new WeakMap<Machine, Map<string, Database>>()

export function dump(machine: Machine, argv: readonly string[]): Output {
  const name = lastOf(argv)
  const database = machine.databases.get(name)
  const path = argv.find((word) => word.startsWith('--result-file='))?.slice(14) ?? ''
  if (!database || database.broken)
    return failed(`mariadb-dump: Got error: 1194: "Table 'options' is marked as crashed"`, 2)
  keepDump(machine, name, path, database)
  return done()
}

export function load(machine: Machine, _: readonly string[], options: RunOptions): Output {
  const text = machine.disk.text(options.input_file ?? '') ?? ''
  const name = /^-- Database: (\S+)$/m.exec(text)?.[1]
  if (name === undefined) return failed('ERROR 1064 (42000) at line 1')
  const kept = dumps.get(machine)?.get(name)
  machine.databases.set(name, kept ?? { kit: freshKit, broken: false, bytes: 4096 })
  return done()
}

export function keepDump(machine: Machine, name: string, path: string, database: Database): void {
  const known = dumps.get(machine) ?? new Map<string, Database>()
  dumps.set(machine, known.set(name, database))
  const text = `-- MariaDB dump\n-- Database: ${name}\n`
  machine.disk.put(path, { ...file(text, { mode: 0o600 }), size: database.bytes })
}
