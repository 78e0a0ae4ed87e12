import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { RewriteRequest } from '#agent/programs/rewrite/request.ts'
import { rewrittenDump } from '#tests/support/rewrite/rewritten.ts'
import { runs } from '#tests/support/runs.ts'

const TABLE =
  'CREATE TABLE `wp_options` (\n  `option_id` int,\n  `option_name` text,\n  `v` text\n);\n'
const ONE = "(1,'home','https://old.example')"
const TWO = "(2,'_transient_a\\'b',_binary 'x),(')"
const THREE = "(3,'blog''name',0x00FF)"

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()

/** The sum of the digests of all rows, in words of 32 bits. */
function digestOf(rows: readonly string[]): string {
  const words = new Uint32Array(8)
  for (const row of rows) {
    const digest = sha256(row)
    for (const at of words.keys()) words[at] = (words[at] ?? 0) + digest.readUInt32LE(4 * at)
  }
  return sha256(new Uint8Array(words.buffer)).toString('hex')
}

const tablesOf = (dump: string, request: Partial<RewriteRequest> = {}, sizes = [65_536]) =>
  rewrittenDump(dump, { digest: true, ...request }, sizes).report.tables.map(
    ({ columns: _, ...table }) => table,
  )

describe('the digest of a table', () => {
  const expected = [{ table: 'wp_options', rows: 3, sha256: digestOf([ONE, TWO, THREE]) }]

  test.each([
    ['one statement', `INSERT INTO \`wp_options\` VALUES\n${ONE},\n${TWO},\n${THREE};\n`],
    ['rows on one line', `INSERT INTO wp_options VALUES ${ONE},${TWO}, ${THREE};\n`],
    ['another order', `INSERT INTO wp_options VALUES\n${THREE},\n${ONE},\n${TWO};\n`],
    [
      'several statements',
      `INSERT INTO wp_options VALUES\n${ONE},\n${TWO};\nINSERT INTO wp_options VALUES\n${THREE};\n`,
    ],
  ])('is that of its rows as they were read: %s', (_, rows) => {
    for (const sizes of [[65_536], [1], [7, 30]]) {
      expect(tablesOf(TABLE + rows, {}, sizes)).toEqual(expected)
    }
  })

  test('is reported for an empty table, and not for a view', () => {
    const dump = `${TABLE}/*!50001 CREATE VIEW \`v\` AS SELECT (1) AS \`a\`*/;\n-- end\n`

    expect(tablesOf(dump)).toEqual([{ table: 'wp_options', rows: 0, sha256: digestOf([]) }])
    expect(tablesOf(dump, { digest: false })).toEqual([])
  })

  test('is reported for a sequence, which has no rows', () => {
    const dump = 'CREATE SEQUENCE `s` start with 1 minvalue 1;\nDO SETVAL(`s`, 1, 0);\n-- end\n'

    expect(tablesOf(dump)).toEqual([{ table: 's', rows: 0, sha256: digestOf([]) }])
  })

  test('needs no rules', () => {
    const rows = `INSERT INTO wp_options VALUES\n${ONE},\n${TWO},\n${THREE};\n`

    expect(tablesOf(TABLE + rows, { rules: [] })).toEqual(expected)
  })

  test('includes a value that is too long to be kept', () => {
    const row = `(1,'${'x'.repeat(5000)}',0x${'00'.repeat(5000)})`
    const dump = `INSERT INTO a VALUES\n${row},\n${row};\n`

    for (const sizes of [[65_536], [1000, 7]]) {
      expect(tablesOf(dump, { max_value_bytes: 2000 }, sizes)).toEqual([
        { table: 'a', rows: 2, sha256: digestOf([row, row]) },
      ])
    }
  })
})

describe('a row that the digest leaves out', () => {
  const ignore = [
    { table: '*_options', column: 'option_name', values: ['_transient_*', 'cron', "blog'n*"] },
  ]
  const digestWithout = (rows: string[], name = 'wp_options', sizes = [65_536]) => {
    const rest = `INSERT INTO \`${name}\` VALUES\n${rows.join(',\n')};\n`
    return tablesOf(TABLE.replace('wp_options', name) + rest, { ignore }, sizes)[0]?.sha256
  }

  test('does not change it', () => {
    const hexadecimal = `(4,0x${Buffer.from('cron').toString('hex')},'')`

    for (const sizes of [[65_536], [1], [9, 40]]) {
      expect(digestWithout([TWO, ONE, hexadecimal, THREE], 'wp_options', sizes)).toBe(
        digestWithout([ONE]),
      )
    }
    expect(digestWithout([TWO, ONE.replace('home', 'Home')])).not.toBe(digestWithout([ONE]))
    expect(digestWithout([ONE.replace('home', 'cron_')])).not.toBe(digestWithout([]))
  })

  test('counts in other tables', () => {
    expect(digestWithout([TWO, ONE], 'wp_posts')).not.toBe(digestWithout([ONE], 'wp_posts'))
  })
})

test('rows have the same digest in any groups and chunks', () => {
  const row = fc
    .array(fc.constantFrom("'a'", '1', 'NULL', "'),\\n('", "',\n('", "'//old.example'", '0x41'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((values) => `(${values.join()})`)
  const groups = fc.array(fc.array(row, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  })
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(groups, sizes, fc.boolean(), (all, chunks, lines) => {
      const separator = lines ? ',\n' : ','
      const dump = all.map((rows) => `INSERT INTO t VALUES\n${rows.join(separator)};\n`).join('')
      const rows = all.flat()

      expect(tablesOf(dump, {}, chunks)).toEqual([
        { table: 't', rows: rows.length, sha256: digestOf(rows) },
      ])
    }),
    runs(300),
  )
})
