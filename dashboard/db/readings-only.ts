import { sql } from 'drizzle-orm'
import { READINGS } from './prepared.ts'

/** The first words of a statement that stores only readings. */
export const readings_only = sql.raw(READINGS)
