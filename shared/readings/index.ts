import type { z } from 'zod'
import * as access from './access.ts'
import * as backups from './backups.ts'
import * as changes from './changes.ts'
import * as database from './database.ts'
import * as jobs from './jobs.ts'
import * as keys from './keys.ts'
import * as logs from './logs.ts'
import * as mail from './mail.ts'
import * as server from './server.ts'
import * as sites from './sites.ts'
import * as wordpress from './wordpress.ts'

/**
 * Every reading of an agent: all contracts of these files. An agent must implement each of them, and a
 * dashboard can call no other. An agent loads contracts one by one, with their values.
 */
const CONTRACTS = {
  ...access,
  ...backups,
  ...changes,
  ...database,
  ...jobs,
  ...keys,
  ...logs,
  ...mail,
  ...server,
  ...sites,
  ...wordpress,
}

export type AnyReading = (typeof CONTRACTS)[keyof typeof CONTRACTS]
export type ReadingName = AnyReading['at']
export type Readings = { readonly [C in AnyReading as C['at']]: C }
/** The params as an agent gets them. */
export type ReadingParams<N extends ReadingName> = z.output<Readings[N]['params']>

export const READINGS: readonly AnyReading[] = Object.values(CONTRACTS)
