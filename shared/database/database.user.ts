import { command } from '#shared/kernel/command.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { CreatedDatabaseUser, NewDatabaseUser } from './database-user.ts'

const databaseUser = command({
  name: 'database.user',
  summary: 'Create a temporary user of the database of a site',
  changes: true,
  minutes: 10,
  params: NewDatabaseUser,
  result: CreatedDatabaseUser,
})

/** Needs a high right: whoever has it can read everything that the site stores. */
export const databaseUserType = operationType({
  name: 'Create temporary database user',
  title: 'Create a temporary user of the database of',
  target: 'site',
  command: databaseUser,
  right: 'secrets',
  excludes: 'same_site_except_backup',
  params: databaseUser.params.omit({ domain: true }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(databaseUser.result),
  bulk: null,
})
