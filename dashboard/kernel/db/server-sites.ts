import { type SQL, sql } from 'drizzle-orm'
import { sites } from './schema.ts'

/**
 * The condition for sites of these servers, whose number does not change the text of the statement.
 */
export const isOnServers = (server_ids: readonly number[]): SQL =>
  sql`${sites.server_id} in (select value from json_each(${JSON.stringify(server_ids)}))`

/** The sites by an index that has all columns that are counted by server. */
export const SITES_BY_SERVER = sql`${sites} indexed by sites_server`
