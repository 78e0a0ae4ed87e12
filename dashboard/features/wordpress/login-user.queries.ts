import { sql } from 'drizzle-orm'
import type { RecordChange } from '#dashboard/kernel/engine/rules.ts'

/**
 * Makes the entry of the activity that says as which user of WordPress somebody logs in, with the
 * source of the call. The name comes from the site.
 */
export const recordUser =
  (user: string): RecordChange =>
  (queries, { id }, at) => [
    queries.run(sql`insert into activities
        (type, domain, status, server_id, user_id, token, address, detail, created_at, via)
      select 'site.wordpress_login', domain, 'success', server_id, user_id, token, address,
        ${`as ${user.replaceAll(/\p{C}/gu, '�')}`}, ${at}, via
      from activities where operation_id = ${id} and type = 'wp.login'`),
  ]
