import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client, InStatement, InValue } from '@libsql/client'
import { withMethods } from './statements.ts'
import { violatesNotNull } from './violations.ts'

/** One share of the work, as its holder has it. */
export interface Fence {
  name: string
  holder: string
  token: number
}

const current = new AsyncLocalStorage<readonly Fence[] | undefined>()

/** Runs work of which every write is refused as soon as another dashboard has one of the leases. */
export function fencedBy<T>(fences: readonly Fence[] | undefined, work: () => T): T {
  return current.run(fences, work)
}

/** A write of a dashboard that no longer has the lease of this work. */
export class StaleLease extends Error {
  override name = 'StaleLease'
}

const keyOf = ({ name, holder, token }: Fence) => `${token} ${holder} ${name}`

/**
 * Returns the statement that fails when one of the leases has another holder or token. It is a
 * write, so that it takes the write lock before it reads: nobody can take the lease between the
 * check and the statements after it.
 */
export function fenceStatement(fences: readonly Fence[]): { sql: string; args: InValue[] } {
  const names = JSON.stringify(fences.map(({ name }) => name))
  const keys = JSON.stringify(fences.map(keyOf))
  return {
    sql: `UPDATE leases SET token = NULL WHERE name IN (SELECT value FROM json_each(?))
      AND token || ' ' || holder || ' ' || name NOT IN (SELECT value FROM json_each(?))`,
    args: [names, keys],
  }
}

/**
 * Returns a client whose statements are each in one transaction with the check of the current
 * leases. It takes the write lock first: one that has read before another one wrote cannot write
 * any more.
 */
export function fencedClient(client: Client): Client {
  const batch: Client['batch'] = async (statements, mode) => {
    const fences = current.getStore()
    if (fences === undefined) return client.batch(statements, mode ?? 'write')
    try {
      return (await client.batch([fenceStatement(fences), ...statements], 'write')).slice(1)
    } catch (error) {
      throw violatesNotNull(error, 'leases.token')
        ? new StaleLease('Another dashboard has the lease')
        : error
    }
  }
  const execute = async (statement: InStatement) => {
    if (current.getStore() === undefined) return client.execute(statement)
    const [result] = await batch([statement])
    if (!result) throw new Error('a statement had no result')
    return result
  }
  return withMethods(client, { batch, execute })
}
