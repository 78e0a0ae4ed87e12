import type { z } from 'zod'
import * as access from '#shared/access/readings.ts'
import * as backups from '#shared/backups/readings.ts'
import * as database from '#shared/database/readings.ts'
import * as jobs from '#shared/jobs/readings.ts'
import * as logs from '#shared/logs/readings.ts'
import * as mail from '#shared/mail/readings.ts'
import * as changes from '#shared/servers/changes.readings.ts'
import * as keys from '#shared/servers/keys.readings.ts'
import * as server from '#shared/servers/readings.ts'
import * as record from '#shared/servers/record.readings.ts'
import * as sites from '#shared/sites/readings.ts'
import * as wordpress from '#shared/wordpress/readings.ts'

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
  ...record,
  ...server,
  ...sites,
  ...wordpress,
}

export type AnyReading = (typeof CONTRACTS)[keyof typeof CONTRACTS]
export type ReadingName = AnyReading['at']
export type Readings = { readonly [C in AnyReading as C['at']]: C }
/** The params of a reading for an agent. */
export type ReadingParams<N extends ReadingName> = z.output<Readings[N]['params']>

export const READINGS: readonly AnyReading[] = Object.values(CONTRACTS)
