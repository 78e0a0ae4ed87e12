import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain, wholeNumber } from '#shared/kernel/fields.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import {
  DatabasePasswordHash,
  DatabaseUserName,
  DatabaseUserToken,
  MAX_MINUTES,
  UserRights,
} from './database-user.ts'

const databaseUser = command({
  name: 'database.user',
  summary: 'Create a temporary user of the database of a site',
  changes: true,
  minutes: 10,
  params: z.object({
    domain: Domain,
    token: DatabaseUserToken,
    rights: UserRights,
    minutes: wholeNumber(1, MAX_MINUTES).describe('How long the user is valid.'),
    account_hash: DatabasePasswordHash,
  }),
  result: z.object({
    domain: ReportedDomain,
    user: DatabaseUserName,
    database: z.string().max(64),
    ends_at: z.iso.datetime().max(40),
  }),
})

/** Whoever has it can read everything that the site stores. */
export const databaseUserType = operationType({
  name: 'Create temporary database user',
  title: 'Create a temporary user of the database of',
  target: 'site',
  command: databaseUser,
  right: 'admin',
  excludes: 'same_site_except_backup',
  params: databaseUser.params.omit({ domain: true }),
  outcome: completesWith(databaseUser.result),
  bulk: null,
})
