import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { searchWords } from '#shared/kernel/search-words.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** A word of a search, with the names of sites that have it in their Unicode spelling alone. */
export interface SearchWord {
  word: string
  names: readonly string[]
}

/**
 * Returns the words of a search text. The records have names in their ASCII form, which has no part
 * of a word such as `mül`: the names of such a word are read first.
 */
export const findWords = (db: Database, text: string): Promise<SearchWord[]> =>
  Promise.all(
    searchWords(text).map(async (word) => ({
      word,
      names: /[^\x20-\x7e]/.test(word) ? await namesSpelled(db, word) : [],
    })),
  )

/** Whether a name has the word as typed (`instr` knows no wildcards), or in its Unicode spelling. */
export const hasWord = (name: SQLWrapper, { word, names }: SearchWord): SQL =>
  names.length === 0
    ? sql`instr(${name}, ${word})`
    : sql`(instr(${name}, ${word}) or ${name} in (select value from json_each(${JSON.stringify(names)})))`

/** The ASCII letters of a label are a part of its ASCII form (RFC 3492 3.1), which leaves few names. */
async function namesSpelled(db: Database, word: string): Promise<string[]> {
  const parts = ['xn--', ...word.split('.').map((label) => label.replace(/[^\x20-\x7e]/g, ''))]
  const holds = (name: SQLWrapper) =>
    sql.join(
      parts.map((part) => sql`instr(${name}, ${part})`),
      sql` and `,
    )
  const [domains, others] = await db.read.batch([
    db.read.selectDistinct({ name: sites.domain }).from(sites).where(holds(sites.domain)),
    db.read
      .selectDistinct({ name: site_names.name })
      .from(site_names)
      .where(holds(site_names.name)),
  ])
  const names = new Set([...domains, ...others].map(({ name }) => name))
  return [...names].filter((name) => unicodeOf(name).includes(word))
}
