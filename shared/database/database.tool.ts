import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain, wholeNumber } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import {
  DatabasePasswordHash,
  DatabaseUserName,
  DatabaseUserToken,
  MAX_MINUTES,
  UserRights,
} from './database-user.ts'

const databaseTool = command({
  name: 'database.tool',
  summary: 'Prepare Adminer for the database of a site, with a temporary user',
  changes: true,
  needs: () => NEEDS.adminer,
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
export const databaseToolType = operationType({
  name: 'Open Adminer',
  title: 'Open Adminer for the database of',
  target: 'site',
  command: databaseTool,
  right: 'admin',
  params: databaseTool.params.omit({ domain: true }),
  outcome: completesWith(databaseTool.result),
  bulk: null,
})
