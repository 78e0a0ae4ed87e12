import { KeyRefused } from '#dashboard/kernel/agents/agent-errors.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import { findAgent } from '#dashboard/kernel/trust/queries.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { keysReading, newKeysReading } from '#shared/servers/keys.readings.ts'
import type { KeyList, KnownKeys } from '#shared/servers/keys.ts'
import { confirmKey, deleteUnneeded, findCurrentKey, type KeyRow, listKeys } from './queries.ts'

export interface HandOverDeps extends Pick<CommonDeps, 'db' | 'clock' | 'log'> {
  agents: Agents
  keys: Keyring
  /** The servers whose agents were asked for their keys by this process. */
  keys_asked: Set<number>
}

const MAX_KEYS = 4

/** Sends an agent the current key, signed with the one that it knows. Throws offline. */
export async function handOver(deps: HandOverDeps, server: ServerRow): Promise<void> {
  const agent = await findAgent(deps.db, server.id)
  const current = agent && (await findCurrentKey(deps.db))
  if (!current) return
  try {
    if (!agent.until) return await takeBack(deps, server)
    const known = await knownKeys(deps, server, agent.kid, current.kid)
    const after = known.keys.includes(current.kid) ? known : await sendKeys(deps, server, known)
    if (!after.keys.includes(current.kid)) return
    await confirmKey(deps.db, server.id, current.kid)
    await deleteUnneeded(deps.db, timestamp(deps.clock))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'offline') throw error
    deps.log.error('an agent did not accept the new key', error, { server_id: server.id })
  }
}

/**
 * Asks an agent once for its keys, and takes back one that is not of these records: the agent got
 * it after they were saved, and will refuse ours in a day. It gets ours again while it still
 * accepts them. The records of a process do not become older.
 */
async function takeBack(deps: HandOverDeps, server: ServerRow): Promise<void> {
  const { db, agents, log, keys_asked } = deps
  if (keys_asked.has(server.id)) return
  const known = await agents.call(server, keysReading, {})
  keys_asked.add(server.id)
  const own = new Set((await listKeys(db)).map(({ kid }) => kid))
  if (known.keys.every((kid) => own.has(kid))) return
  log.info('an agent has a key that is not on record: it gets ours', { server_id: server.id })
  await sendKeys(deps, server, known)
}

/** Returns the keys of the agent, which by hand may have got the current one alone. */
async function knownKeys(deps: HandOverDeps, server: ServerRow, old: string, current: string) {
  const ask = () => deps.agents.call(server, keysReading, {})
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof KeyRefused)) throw error
    await confirmKey(deps.db, server.id, current)
    return await ask().catch(async (cause: unknown) => {
      await confirmKey(deps.db, server.id, old)
      throw cause
    })
  }
}

async function sendKeys(
  { db, clock, agents, keys }: HandOverDeps,
  server: ServerRow,
  { epoch }: KnownKeys,
): Promise<KnownKeys> {
  const now = timestamp(clock)
  const rows = (await listKeys(db)).filter(({ until }) => until === null || until > now)
  const entries = await Promise.all(rows.map((row) => entryOf(keys, row)))
  const own = entries.filter((entry) => entry !== undefined).slice(0, MAX_KEYS)
  const body = { epoch: epoch + 1, keys: own }
  return agents.call(server, newKeysReading, body)
}

/**
 * Returns the entry of a key in the list for an agent; undefined for a row without a key of this
 * dashboard, because an agent would trust it.
 */
async function entryOf(
  keys: Keyring,
  { kid, until }: KeyRow,
): Promise<KeyList['keys'][number] | undefined> {
  const key = await keys.get(kid).catch(() => undefined)
  const ends = until === null ? null : Math.floor(Date.parse(until) / 1000)
  return key && { kid, public_key: key.public_key, until: ends }
}
