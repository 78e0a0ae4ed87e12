import type { Client } from '@libsql/client'
import { type Database, databaseOnFile } from '#dashboard/kernel/db/client.ts'
import { connect, LOCK_TIMEOUT_MS } from '#dashboard/kernel/db/connect.ts'
import { fileClient } from '#dashboard/kernel/db/file-client.ts'

/** Opens records in a file, and collects the statements that run on them. */
export function countedRecords() {
  const statements: string[] = []
  const open = async (file: string): Promise<Database> => {
    const client = fileClient(connect({ url: `file:${file}` }), file, LOCK_TIMEOUT_MS)
    const execute = (...call: Parameters<Client['execute']>) => {
      statements.push(textOf(call[0]))
      return client.execute(...call)
    }
    const batch = (...call: Parameters<Client['batch']>) => {
      statements.push(...call[0].map(textOf))
      return client.batch(...call)
    }
    const counted = new Proxy<Client>(client, {
      get: (_, name) =>
        name === 'execute' ? execute : name === 'batch' ? batch : Reflect.get(client, name),
    })
    return databaseOnFile(counted, file)
  }
  return { open, statements }
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : String(Object(statement).sql)
