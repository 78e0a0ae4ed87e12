import { listConfigFiles } from '#agent/features/copies/rename/config.ts'
import { countChanges } from '#agent/features/copies/rename/count-changes.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { MAX_COLUMNS, MAX_FILES, MAX_TABLES } from '#shared/copies/site.rename-preview.ts'
import { checkedRenaming } from './site.rename.ts'

const USE = { former: 'redirect' } as const

/** Only reads, with the rights of the site. */
export const siteRenamePreview = command('site.rename-preview', {
  lock: () => undefined,
  check: (params, host) => checkedRenaming(host, { ...params, ...USE }),
  steps: () => [],
  async *result({ host, former, target }) {
    yield 'Reading the configuration files'
    const files = await listConfigFiles(host, former, target)
    yield `Counting the addresses in the database of ${former.domain}`
    const { tables, replaced, left } = await countChanges(host, former, target)
    return {
      domain: former.domain,
      primary: target.domain,
      replaced,
      left,
      rows: tables.reduce((sum, { rows }) => sum + rows, 0),
      tables: tables
        .filter(({ columns }) => columns.length > 0)
        .slice(0, MAX_TABLES)
        .map(shownChanges),
      files: files.slice(0, MAX_FILES),
    }
  },
})

type TableChanges = Awaited<ReturnType<typeof countChanges>>['tables'][number]

const shownChanges = ({ table, rows, columns }: TableChanges) => ({
  name: table.slice(0, 64),
  rows,
  columns: columns.slice(0, MAX_COLUMNS).map(({ column, changed, replaced, serialized }) => ({
    name: column.slice(0, 64),
    values: changed,
    serialized,
    replaced: Object.values(replaced).reduce((sum, count) => sum + count, 0),
  })),
})
