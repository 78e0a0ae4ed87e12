import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { SiteDatabase } from '#shared/api/site-database.ts'
import { AgentDatabase, plainName } from '#shared/site-database.ts'
import { askAbout } from './ask.ts'

/** Read from the server at each call, and not stored. The site chooses all names. */
export async function readDatabase(
  deps: { agents: Agents },
  target: SiteTarget,
): Promise<SiteDatabase> {
  const { tables, options, queries, ...sums } = await askAbout(
    deps,
    target,
    '/sites/database',
    AgentDatabase,
  )
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
