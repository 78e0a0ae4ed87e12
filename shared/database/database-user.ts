import { z } from 'zod'
import { Domain, ReportedDomain, wholeNumber } from '#shared/kernel/fields.ts'

export const MAX_MINUTES = 60
export const MAX_SECONDS = 60 * MAX_MINUTES
/** The maximum number of users of one site at the same time. */
export const MAX_DATABASE_USERS = 5

export const UserRights = z.enum(['read', 'write'], 'Must be read or write')
export type UserRights = z.infer<typeof UserRights>

/** A hash as `PASSWORD()` of MariaDB writes it: the password itself never reaches the agent. */
export const DatabasePasswordHash = z
  .string()
  .regex(/^\*[0-9A-F]{40}$/, 'Must be the hash of a password of MariaDB')

export const DatabaseUserName = z
  .string()
  .regex(/^hosting_tmp_[a-z0-9]{10}_\d{10}$/, 'Must be the name of a temporary user')

/** The part of the name that the caller chooses: a repeated request finds its own user. */
const DatabaseUserToken = z.string().regex(/^[a-z0-9]{10}$/, 'Must be 10 characters of a-z 0-9')

export const NewDatabaseUser = z.object({
  domain: Domain,
  token: DatabaseUserToken,
  rights: UserRights,
  minutes: wholeNumber(1, MAX_MINUTES).describe('How long the user is valid.'),
  account_hash: DatabasePasswordHash,
})

export const CreatedDatabaseUser = z.object({
  domain: ReportedDomain,
  user: DatabaseUserName,
  database: z.string().max(64),
  ends_at: z.iso.datetime().max(40),
})

/** A temporary user of the database of a site. */
export const AgentDatabaseUser = z.object({
  user: DatabaseUserName,
  rights: UserRights,
  ends_at: z.iso.datetime().max(40),
})
export type AgentDatabaseUser = z.infer<typeof AgentDatabaseUser>

export const AgentDatabaseUsers = z.object({ users: z.array(AgentDatabaseUser).max(100) })
