import { z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { MAX_TABLES, TABLE_ACTIONS, TableNames, TableResult } from './site-database.ts'

const action = z
  .enum(TABLE_ACTIONS, 'Must be check, repair or optimise')
  .describe('`repair` is for tables of other engines than InnoDB; `optimise` rebuilds tables.')
const tables = TableNames.optional().describe('Default: all tables.')

const databaseMaintain = command({
  name: 'database.maintain',
  summary: 'Check, repair or optimise tables of a site',
  changes: true,
  minutes: 12 * 60,
  silent_minutes: 60,
  params: z.object({ domain: Domain, action, tables }),
  result: z.object({
    domain: ReportedDomain,
    action,
    tables: z.array(TableResult).max(MAX_TABLES),
  }),
})

export const databaseMaintainType = operationType({
  name: 'Maintain tables',
  title: 'Maintain the tables of',
  target: 'site',
  command: databaseMaintain,
  right: 'operate',
  params: z.object({ action, tables, without_backup }),
  confirms: { ...SAME_DOMAIN, action: 'action' },
  outcome: completesWith(databaseMaintain.result),
  bulk: {
    title: 'Maintain the tables of',
    params: bulkParams({ action, without_backup }),
    words: { action: 'action', without_backup: null },
  },
})
