import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { type AgentDatabase, MAX_TABLES } from '#shared/database/site-database.ts'
import { fromHex, selectAsOwner } from './select.ts'

type TableSizes = Omit<AgentDatabase, 'options' | 'queries'>

const OWN = `TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`
const sizeOf = (column: string) => `IFNULL(${column}, 0)`
const SIZES = ['DATA_LENGTH', 'INDEX_LENGTH', 'DATA_FREE']
const LIST = `SELECT 'table', HEX(TABLE_NAME), IFNULL(ENGINE, ''), ${['TABLE_ROWS', ...SIZES].map(sizeOf).join(', ')}
  FROM information_schema.TABLES WHERE ${OWN}
  ORDER BY IFNULL(DATA_LENGTH, 0) + IFNULL(INDEX_LENGTH, 0) DESC, TABLE_NAME LIMIT ${MAX_TABLES}`
const TOTAL = `SELECT 'total', COUNT(*), ${SIZES.map((column) => `IFNULL(SUM(${column}), 0)`).join(', ')}
  FROM information_schema.TABLES WHERE ${OWN}`
/** The query for the tables of options, which have the columns that WordPress gives them. */
const OPTIONS = `SELECT 'options', HEX(TABLE_NAME) FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%options'
  AND COLUMN_NAME IN ('option_name', 'option_value', 'autoload')
  GROUP BY TABLE_NAME HAVING COUNT(*) = 3 ORDER BY CHAR_LENGTH(TABLE_NAME), TABLE_NAME LIMIT 20`

/** The query for the table that all sites of a network of WordPress share. */
const NETWORK = `SELECT 'network' FROM information_schema.TABLES WHERE ${OWN}
  AND TABLE_NAME LIKE '%\\_sitemeta' LIMIT 1`

/** Returns the tables, largest first, their sum, and those with options of WordPress. */
export async function readTables(
  host: Host,
  site: Site,
): Promise<{ tables: TableSizes; optionTables: string[]; isNetwork: boolean }> {
  const rows = await selectAsOwner(host, site, [LIST, TOTAL, OPTIONS, NETWORK])
  const of = (kind: string) => rows.flatMap(([first, ...rest]) => (first === kind ? [rest] : []))
  const [[count, data, index, free] = []] = of('total')
  const tables = of('table').map(([name, engine, ...sizes]) => {
    const [rows = 0, data_bytes = 0, index_bytes = 0, free_bytes = 0] = sizes.map(Number)
    return {
      name: fromHex(name),
      engine: engine || null,
      rows,
      data_bytes,
      index_bytes,
      free_bytes,
    }
  })
  return {
    tables: {
      tables,
      table_count: Number(count ?? 0),
      data_bytes: Number(data ?? 0),
      index_bytes: Number(index ?? 0),
      free_bytes: Number(free ?? 0),
    },
    optionTables: of('options').map(([name]) => fromHex(name)),
    isNetwork: of('network').length > 0,
  }
}
