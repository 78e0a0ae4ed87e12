import { Database } from 'bun:sqlite'
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPERATION_TYPES } from '#shared/operation-types.ts'

const OPERATIONS = 'var/lib/hosting-agent/operations'

/** The disks of this process's hosts that have not been read yet. */
const disks = new Set<string>()

/** What runs on a host with this disk will be written down. */
export const willRun = (root: string) => void disks.add(root)

/**
 * Appends the commands that the agents of this process's hosts ran to the file `HOSTING_COMMANDS`,
 * one in each line: the runner of the tests chooses by them what a change can reach.
 */
export function writeCommands(only?: string): void {
  const file = process.env.HOSTING_COMMANDS
  for (const root of only === undefined ? [...disks] : [only]) {
    if (file && disks.delete(root)) {
      for (const command of commandsIn(join(root, OPERATIONS))) appendFileSync(file, `${command}\n`)
    }
  }
}

/** Appends the commands of a dashboard's operations, also those of which an agent keeps no record. */
export function writeOperations(data_dir: string): void {
  const file = process.env.HOSTING_COMMANDS
  const path = join(data_dir, 'dashboard.db')
  if (!file || !existsSync(path)) return
  const database = new Database(path, { readonly: true })
  const rows = database.query('SELECT DISTINCT type FROM operations').all() as { type: string }[]
  database.close()
  const types: Record<string, { command: { name: string } | null }> = OPERATION_TYPES
  const names = rows.flatMap(({ type }) => types[type]?.command?.name ?? [])
  for (const name of names) appendFileSync(file, `${name}\n`)
}

function commandsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((id) => {
    try {
      const { command } = JSON.parse(readFileSync(join(folder, id, 'request.json'), 'utf8'))
      return typeof command === 'string' ? [command] : []
    } catch {
      // Its record was cut off by a kill of the test.
      return []
    }
  })
}
