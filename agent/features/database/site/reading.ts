import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { AgentDatabase } from '#shared/database/site-database.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { readDigests } from './digests.ts'
import { readOptions } from './options.ts'
import { readTables } from './tables.ts'

/**
 * Sizes and names in the database of a site, read with the rights of the site. Throws not_found for
 * an unknown site, and conflict if its tables cannot be listed.
 */
export async function readDatabase(host: Host, domain: string): Promise<AgentDatabase> {
  const site = await getSite(host, domain)
  const { tables, ...options } = await readTables(host, site)
  return {
    ...tables,
    options: await readOptions(host, site, options).catch(unread),
    queries: await readDigests(host, site.user),
  }
}

/** A broken table of options is one that the list of tables shows. */
function unread(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'conflict') return null
  throw error
}
