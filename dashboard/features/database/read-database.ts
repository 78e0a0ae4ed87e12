import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { SiteDatabase } from '#shared/database/api/site-database.ts'
import { databaseReading } from '#shared/database/readings.ts'
import { plainName } from '#shared/database/site-database.ts'

/** Reads the database from the server at each call. The site chooses all names. */
export async function readDatabase(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<SiteDatabase> {
  const params = { domain: site.domain }
  const { tables, options, queries, ...sums } = await agents.call(server, databaseReading, params)
  return {
    ...sums,
    tables: tables.map((table) => ({ ...table, name: plainName(table.name) })),
    options:
      options?.map(({ table, largest, unused, ...rest }) => ({
        ...rest,
        table: plainName(table),
        largest: largest.map(({ name, bytes }) => ({ name: plainName(name), bytes })),
        unused: unused.map(({ plugin, ...sizes }) => ({
          plugin: plainName(plugin),
          ...sizes,
        })),
      })) ?? null,
    queries: queries?.map((query) => ({ ...query, text: plainName(query.text) })) ?? null,
  }
}
