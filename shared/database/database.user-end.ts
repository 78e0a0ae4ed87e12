import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { DatabaseUserName } from './database-user.ts'

const databaseUserEnd = command({
  name: 'database.user-end',
  summary: 'End a temporary user of the database of a site, with its connections',
  changes: true,
  minutes: 10,
  params: z.object({ domain: Domain, user: DatabaseUserName }),
  result: z.object({ domain: ReportedDomain, user: DatabaseUserName }),
})

export const databaseUserEndType = operationType({
  name: 'End temporary database user',
  title: 'End a temporary user of the database of',
  target: 'site',
  command: databaseUserEnd,
  right: 'operate',
  excludes: 'nothing',
  params: databaseUserEnd.params.omit({ domain: true }),
  confirms: { ...SAME_DOMAIN, user: 'user' },
  outcome: completesWith(databaseUserEnd.result),
  bulk: null,
})
