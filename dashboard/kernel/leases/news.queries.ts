import { and, asc, gt, max, ne, sql } from 'drizzle-orm'
import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import { news } from '#dashboard/kernel/db/leases-schema.ts'

const NOW = sql`cast(unixepoch('subsec') * 1000 as integer)`
const KEPT_MS = 5 * 60_000
const MAX_NEWS = 1_000

export async function lastNews(db: Database): Promise<number> {
  const row = await db.read
    .select({ last: max(news.id) })
    .from(news)
    .get()
  return row?.last ?? 0
}

/**
 * Stores own topics, and returns those of others. In one round trip, and not behind other writes. The
 * write is first: a transaction that has read before another one wrote cannot write any more.
 */
export async function exchangeNews(
  db: Database,
  { name, topics, after }: { name: string; topics: readonly string[]; after: number },
): Promise<{ id: number; topic: string }[]> {
  const queries = db.read
  const others = queries
    .select({ id: news.id, topic: news.topic })
    .from(news)
    .where(and(gt(news.id, after), ne(news.holder, name)))
    .orderBy(asc(news.id))
    .limit(MAX_NEWS)
  if (topics.length === 0) return others
  const own = queries.run(sql`insert into news (holder, topic, at)
    select ${name}, value, ${NOW} from json_each(${JSON.stringify(topics)})`)
  const [, found] = await queries.batch([own, others])
  return found
}

export async function forgetNews(db: Database): Promise<void> {
  const queries = db.read
  await batch(queries, [queries.run(sql`delete from news where at < ${NOW} - ${KEPT_MS}`)])
}
