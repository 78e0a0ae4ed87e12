import { groupsOf, maintain, type SizedTable } from '#agent/features/database/site/maintain.ts'
import { readTables } from '#agent/features/database/site/tables.ts'
import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Progress, value } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { plainName, type TableResult } from '#shared/database/site-database.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'

type Params = ParamsOf<'database.maintain'>

const TITLES = { check: 'Checking', repair: 'Repairing', optimise: 'Optimising' }
const WORDS = { ok: 'OK', warning: 'warning', failed: 'failed', unsupported: 'not supported' }
const MB = 2 ** 20
/** Left free beside the copy of a table that MariaDB writes. */
const SPARE = 1024 * MB

const maintained = value<TableResult[]>('The tables have no results')

/**
 * A table that is broken is a result; the operation succeeds with a warning. A full disk is the failure
 * of the operation: the other tables would have it as well.
 */
export const databaseMaintain = command('database.maintain', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    const tables = await chosen(host, site, params)
    if (params.action !== 'check') await refuseFullDisk(host, tables)
    return { site, tables }
  },
  find: async () => undefined,
  steps({ params: { domain, action }, host, site, tables, gives }) {
    const effect = action === 'check' ? run : change
    return [
      {
        name: 'tables',
        title: `${TITLES[action]} ${tables.length} tables of ${domain}`,
        effects: tables.map(({ name }) => effect('table', plainName(name) || '?')),
        apply: gives(maintained, () => work(host, site, action, tables)),
      },
    ]
  },
  result({ params: { domain, action }, get, warn }) {
    const results = get(maintained)
    const broken = results.filter(({ state }) => state === 'failed')
    if (broken.length > 0) {
      const names = broken.slice(0, 10).map(({ name }) => plainName(name))
      const message = `${broken.length} of ${results.length} tables failed: ${names.join(', ')}`
      warn({ code: 'tables_failed', message })
    }
    return { domain, action, tables: results }
  },
})

async function* work(
  host: Host,
  { user }: Site,
  action: Params['action'],
  tables: readonly SizedTable[],
): Progress<TableResult[]> {
  const results: TableResult[] = []
  for (const group of groupsOf(tables)) {
    for (const result of await maintain(host, user, action, group)) {
      const { name, state, message } = result
      if (state === 'failed' && isDiskFull(message))
        throw new Error(`${plainName(name)} could not be copied: ${message}`)
      results.push(result)
      yield `${plainName(name)}: ${WORDS[state]}${message === '' ? '' : ` (${message})`}`
    }
  }
  return results
}

/** Largest first. Throws not_found for the first table that the site does not have. */
async function chosen(host: Host, site: Site, params: Params): Promise<SizedTable[]> {
  const { tables } = await readTables(host, site)
  const sized = tables.tables.map(({ name, data_bytes, index_bytes }) => ({
    ...{ name, bytes: data_bytes + index_bytes },
  }))
  const missing = params.tables?.find((name) => !sized.some((table) => table.name === name))
  if (missing !== undefined) throw notFound(`Table ${plainName(missing)} of ${site.domain}`)
  const chosen = sized.filter(({ name }) => params.tables?.includes(name) ?? true)
  if (chosen.length === 0) throw conflict(`The database of ${site.domain} has no tables`)
  return chosen
}

/** MariaDB writes a copy of each table, one after another. */
async function refuseFullDisk({ files }: Host, [largest]: readonly SizedTable[]): Promise<void> {
  const needed = (largest?.bytes ?? 0) + SPARE
  const { free } = await files.space('/var/lib/mysql')
  if (free >= needed) return
  const [left, least] = [free, needed].map((bytes) => `${Math.floor(bytes / MB)} MB`)
  const message = `Only ${left} are free for databases on this server, and this needs ${least}`
  throw conflict(message, 'disk_full')
}
