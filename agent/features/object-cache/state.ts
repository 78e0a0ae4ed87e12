import { reading } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { type AgentObjectCache, objectCacheLimit } from '#shared/object-cache/object-cache.ts'
import { objectCacheReading } from '#shared/sites/readings.ts'
import { findDropIn } from './drop-in.ts'
import { isInstanceRunning } from './instance.ts'
import { socketOf } from './paths.ts'
import { installedProgram } from './programs.ts'

const TIME_MS = 5000

/** Reads the state with the rights of the site at each call. Throws not_found for no site. */
export async function readObjectCache(host: Host, domain: string): Promise<AgentObjectCache> {
  const site = await getSite(host, domain)
  const { user, tier, object_cache } = site
  const memory = object_cache?.memory ?? null
  const [{ kind, name }, numbers] = await Promise.all([
    findDropIn(host, site),
    memory === null ? null : readNumbers(host, user),
  ])
  return {
    memory,
    limit: memory === null ? null : objectCacheLimit(memory, tier),
    numbers,
    drop_in: kind === 'own' || kind === 'other' ? kind : 'none',
    other: name === '' ? null : name,
  }
}

/** Reads the numbers of the object cache of a site; null if it does not run, or does not answer. */
async function readNumbers(host: Host, user: string): Promise<AgentObjectCache['numbers']> {
  const program = await installedProgram(host)
  if (!program || !(await isInstanceRunning(host, user))) return null
  const argv = [program.client, '-s', socketOf(user), 'INFO']
  const options = { home: false, network: false, memory: 64, tasks: 8, timeout_ms: TIME_MS }
  const { code, stdout } = await tryAsSite(host, { user }, argv, options)
  const found = numbersIn(stdout)
  return code === 0 ? found : null
}

/** Returns the numbers in the answer to INFO; null if any of them is missing. */
function numbersIn(text: string): AgentObjectCache['numbers'] {
  const number = (name: string) => {
    const found = new RegExp(`^${name}:(\\d{1,15})\r?$`, 'm').exec(text)?.[1]
    return found === undefined ? undefined : Number(found)
  }
  const [used, hits, misses, evicted] = [
    ...['used_memory', 'keyspace_hits', 'keyspace_misses', 'evicted_keys'].map(number),
  ]
  if (used === undefined || hits === undefined || misses === undefined || evicted === undefined) {
    return null
  }
  // The line of the database is missing when there is no key.
  const objects = Number(/^db0:keys=(\d{1,15}),/m.exec(text)?.[1] ?? 0)
  return { used, objects, hits, misses, evicted }
}

export const objectCache = reading(objectCacheReading, ({ host, params }) =>
  readObjectCache(host, params.domain),
)
