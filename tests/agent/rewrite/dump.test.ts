import { describe, expect, test } from 'bun:test'
import { DumpRewriter } from '#agent/rewrite/dump.ts'
import { RewriteRequest } from '#agent/rewrite/request.ts'
import { RULES, rewrittenDump } from '#tests/support/rewrite/rewritten.ts'

const textOf = (dump: string, request: Partial<RewriteRequest> = {}) =>
  rewrittenDump(dump, request).dump.toString()

const TABLE = `-- it's a comment; https://none.example
/*M!999999\\- enable the sandbox mode */
CREATE TABLE \`wp_posts\` (
  \`ID\` bigint(20) unsigned NOT NULL DEFAULT 0 COMMENT 'a, (b',
  \`key\` varchar(255) DEFAULT '',
  \`guid\` decimal(10,2),
  PRIMARY KEY (\`ID\`)
);
`
const ROWS = `INSERT INTO \`wp_posts\` VALUES
(1,'https://old.example','https://old.example'),
(-2,NULL,'');
`

describe('a dump', () => {
  test('changes in its values alone, and reports them', () => {
    const { dump, report } = rewrittenDump(TABLE + ROWS)

    expect(dump.toString()).toBe(
      TABLE + ROWS.replace("(1,'https://old.example'", "(1,'https://brand-new.example'"),
    )
    expect(report).toEqual({
      bytes: { read: TABLE.length + ROWS.length, written: TABLE.length + ROWS.length + 6 },
      replaced: 1,
      tables: [
        {
          table: 'wp_posts',
          rows: 2,
          columns: [{ column: 'key', changed: 1, replaced: { plain: 1 }, serialized: 0 }],
        },
      ],
      left: [
        {
          ...{ table: 'wp_posts', column: 'guid', reason: 'skipped', count: 1 },
          examples: ['https://old.example'],
        },
      ],
    })
  })

  test('changes the guid of posts if no column is skipped', () => {
    expect(textOf(TABLE + ROWS, { skip: [] })).toBe(
      TABLE + ROWS.replaceAll('old.example', 'brand-new.example'),
    )
  })

  test('names the columns of an INSERT that lists them', () => {
    const dump = "INSERT IGNORE INTO `a`.`wp_posts` (`guid`,`values`) VALUES ('//old.example',x);"

    expect(rewrittenDump(dump).report.left).toEqual([
      {
        ...{ table: 'wp_posts', column: 'guid', reason: 'skipped', count: 1 },
        examples: ['//old.example'],
      },
    ])
  })

  test('numbers the columns that it does not name', () => {
    const { report } = rewrittenDump("INSERT INTO a VALUES (1,'//old.example');")

    expect(report.tables[0]?.columns.map(({ column }) => column)).toEqual(['#2'])
  })
})

describe('what remains', () => {
  const left = (dump: string, request: Partial<RewriteRequest> = {}) =>
    rewrittenDump(dump, request).report.left

  test('is counted in SQL around the rows', () => {
    const dump = `DELIMITER ;;
/*!50003 CREATE TRIGGER a BEFORE INSERT ON b FOR EACH ROW BEGIN
  INSERT INTO c VALUES ('https://old.example'); SET @a = ';;'; END */;;
DELIMITER ;
INSERT INTO a SELECT '//old.example';
REPLACE INTO a VALUES ('//old.example') ON DUPLICATE KEY UPDATE b = '//old.example';
`
    const { dump: after, report } = rewrittenDump(dump)

    expect(after.toString()).toBe(dump.replace("('//old", "('//brand-new"))
    expect(report.left.map(({ reason, count }) => [reason, count])).toEqual([['not_data', 3]])
  })

  test('is counted in Base64, at each of its alignments', () => {
    const values = ['', 'a', 'ab'].map((start) => `'${btoa(`${start}https://old.example/`)}'`)

    expect(
      left(`INSERT INTO a VALUES (${values.join()});`).map(({ count, reason }) => [reason, count]),
    ).toEqual([1, 1, 1].map((count) => ['base64', count]))
  })

  test('is shown without mailboxes, keys and control characters', () => {
    const key = 'abcdefghijklmnopqrstuvwxyz'
    const dump = `INSERT INTO a VALUES ('\\n${key} ann.lee@old.example ${'x '.repeat(90)}');`

    expect(left(dump).map(({ examples }) => examples)).toEqual([
      [`.*** ***@old.example ${'x '.repeat(14)}`.slice(0, 61)],
    ])
  })

  test('is shown with the letters of all languages', () => {
    const dump = `INSERT INTO a VALUES ('Grüße – jürgen@old.example');`

    expect(left(dump).map(({ examples }) => examples)).toEqual([['Grüße . ***@old.example']])
  })

  test('has a limited number of examples', () => {
    const dump = `INSERT INTO a VALUES ${"('ann@old.example'),".repeat(9)}('');`

    expect(left(dump, { examples: 2 })).toEqual([
      {
        ...{ table: 'a', column: '#1', reason: 'email', count: 9 },
        examples: ['***@old.example', '***@old.example'],
      },
    ])
  })
})

describe('limits', () => {
  const long = `'${'https://old.example '.repeat(200)}'`
  const dump = `INSERT INTO a VALUES (${long},0x${'00'.repeat(2000)},'//old.example');`
  const request = { max_value_bytes: 3000 }

  test.each([[[65_536]], [[1]], [[1000, 7]]])('a long value passes in chunks of %p', (sizes) => {
    const { dump: after, report } = rewrittenDump(dump, request, sizes)

    expect(after.toString()).toBe(dump.replace(/\/\/old(?=.example'\))/, '//brand-new'))
    expect(report.left.map(({ reason, column, count }) => [reason, column, count])).toEqual([
      ['too_large', '#1', 200],
    ])
  })

  test.each([
    ["INSERT INTO a VALUES ('//old.example'"],
    ["INSERT INTO a VALUES ('//old.example"],
    ['INSERT INTO a'],
    ['CREATE TABLE a (b'],
  ])('a dump that is cut off is an error: %s', (cut) => {
    const written: string[] = []
    const request = RewriteRequest.parse({ rules: RULES })
    const rewriter = new DumpRewriter(request, (bytes) =>
      written.push(Buffer.from(bytes).toString()),
    )

    rewriter.push(Buffer.from(cut))

    expect(() => rewriter.end()).toThrow('the dump ends inside a statement')
    expect(written.join('')).toBe(cut)
  })

  test.each([["SET a = '"], ['INSERT INTO a VALUES (1, /* x']])(
    'a statement without an end is an error: %s',
    (start) => {
      const rewriter = new DumpRewriter(
        RewriteRequest.parse({ rules: RULES, max_value_bytes: 1024 }),
        () => undefined,
      )

      rewriter.push(Buffer.from(start))

      expect(() => rewriter.push(Buffer.alloc(17 << 20, 'x'))).toThrow('a statement has more')
    },
  )

  test.each([['old example'], ["old'example"], ['/'], ['https://']])('%s is no rule', (from) => {
    expect(() => rewrittenDump('', { rules: [{ from, to: 'new.example' }] })).toThrow()
  })
})
