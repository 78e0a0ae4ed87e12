import { command } from '#shared/kernel/command.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { CreatedDatabaseUser, NewDatabaseUser } from './database-user.ts'

const databaseTool = command({
  name: 'database.tool',
  summary: 'Prepare Adminer for the database of a site, with a temporary user',
  changes: true,
  needs: () => NEEDS.adminer,
  params: NewDatabaseUser,
  result: CreatedDatabaseUser,
})

/** Needs a high right: whoever has it can read everything that the site stores. */
export const databaseToolType = operationType({
  name: 'Open Adminer',
  title: 'Open Adminer for the database of',
  target: 'site',
  command: databaseTool,
  right: 'secrets',
  params: databaseTool.params.omit({ domain: true }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(databaseTool.result),
  bulk: null,
})
