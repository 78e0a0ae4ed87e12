import { type SQL, sql } from 'drizzle-orm'
import { sites } from './schema.ts'

/** The condition for sites of these servers, in the same statement for any number of them. */
export const isOnServers = (server_ids: readonly number[]): SQL =>
  sql`${sites.server_id} in (select value from json_each(${JSON.stringify(server_ids)}))`

/** The sites by an index that has all columns that are counted by server. */
export const SITES_BY_SERVER = sql`${sites} indexed by sites_server`
