import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DumpRewriter } from '#agent/programs/rewrite/dump.ts'
import { RewriteRequest } from '#agent/programs/rewrite/request.ts'
import { anyValue, type Written } from '#tests/support/rewrite/any-value.ts'
import { RULES, rewrittenDump, rewrittenText } from '#tests/support/rewrite/rewritten.ts'
import { runs } from '#tests/support/runs.ts'

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

const valuesOf = (values: string, request: Partial<RewriteRequest> = {}) =>
  rewrittenDump(`INSERT INTO a VALUES (${values});\n`, request).dump.toString().slice(22, -3)

describe('values', () => {
  test.each([
    [
      'escapes',
      "'it\\'s\\n\\\\ //old.example\\Z\\0\\\"'",
      "'it\\'s\\n\\\\ //brand-new.example\\Z\\0\\\"'",
    ],
    ['doubled quotes', "'it''s //old.example'''", "'it''s //brand-new.example'''"],
    ['double quotes', '"it""s //old.example\\""', '"it""s //brand-new.example\\""'],
    [
      'escaped serialised text',
      '\'s:13:\\"//old.example\\";\'',
      '\'s:19:\\"//brand-new.example\\";\'',
    ],
    ['escaped JSON', "'http:\\\\/\\\\/old.example'", "'http:\\\\/\\\\/brand-new.example'"],
    ['a binary string', "_binary '//old.example',2", "_binary '//brand-new.example',2"],
    ['a binary format', "_binary '\\0//old.example'", "_binary '\\0//old.example'"],
    ['the same in text', "'\\0//old.example'", "'\\0//brand-new.example'"],
    ['a function', "ST_GeomFromText('//old.example')", "ST_GeomFromText('//brand-new.example')"],
    [
      'a comment',
      "1 /* '//old.example */,'\\%//old.example'",
      "1 /* '//old.example */,'\\%//brand-new.example'",
    ],
  ])('%s', (_, before, after) => {
    expect(valuesOf(before)).toBe(after)
  })

  const hex = (text: string) => Buffer.from(text).toString('hex')

  test.each([
    ['a hexadecimal text', '//old.example', '//brand-new.example'],
    ['a hexadecimal serialised text', '\0s:13:"//old.example";', '\0s:19:"//brand-new.example";'],
    ['a hexadecimal binary format', '\0//old.example', '\0//old.example'],
  ])('%s', (_, before, after) => {
    expect(valuesOf(`0x${hex(before).toUpperCase()}`)).toBe(`0x${hex(after).toUpperCase()}`)
    expect(valuesOf(`0x${hex(before)},1`)).toBe(`0x${hex(after)},1`)
  })

  test('without backslash escapes', () => {
    const request = { no_backslash_escapes: true }

    expect(valuesOf("'\\','http:\\/\\/old.example'", request)).toBe(
      "'\\','http:\\/\\/brand-new.example'",
    )
  })
})

const [OLD, NEW] = ['old.example', 'brand-new.example']

test('a value is what it would be if it had been written for the new address', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(rewrittenText(value(OLD)).text).toBe(value(NEW))
    }),
    runs(1000),
  )
})

const quoted = (value: string) => {
  const escaped = value.replace(/['"\\]/g, (one) => `\\${one}`)
  return `'${escaped.replaceAll('\n', '\\n').replaceAll('\0', '\\0')}'`
}
const doubled = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
const hexadecimal = (value: string) =>
  `0x${Buffer.from(value, 'latin1').toString('hex').toUpperCase()}`

/** A binary value with control characters keeps the addresses that are not serialised. */
const isBinary = (value: string) => value === '' || value.includes('\0') || value.includes('\u0001')

const literals = [
  quoted,
  doubled,
  (value: string) => (isBinary(value) ? quoted(value) : hexadecimal(value)),
]

const any = fc.record({
  rows: fc.array(
    fc.tuple(anyValue, fc.constantFrom(...literals), fc.stringMatching(/^-?\d{1,9}$/)),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
  sizes: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 }),
})

const dumpOf = (rows: [Written, (value: string) => string, string][], host: string) => {
  const lines = rows.map(([value, literal, number]) => `(${number},${literal(value(host))},NULL)`)
  const text = `-- old.example's\nINSERT INTO \`t\` VALUES\n${lines.join(',\n')};\nUNLOCK TABLES;\n`
  return Buffer.from(text, 'latin1')
}

test('a dump in any chunks changes in the values alone', () => {
  fc.assert(
    fc.property(any, ({ rows, sizes }) => {
      const { dump, report } = rewrittenDump(dumpOf(rows, OLD), {}, sizes)

      expect(dump.toString('latin1')).toBe(dumpOf(rows, NEW).toString('latin1'))
      expect(report).toEqual(rewrittenDump(dumpOf(rows, OLD)).report)
      expect(report.bytes).toEqual({ read: dumpOf(rows, OLD).length, written: dump.length })
    }),
    runs(300),
  )
})

test('any bytes in any chunks end, and without a rule that matches they stay', () => {
  const bytes = fc.array(
    fc.constantFrom(...Array.from("INSERT INTO t VALUES ('a',0x\\\"`;/*-#\n")),
    {
      maxLength: 200,
    },
  )
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 50 }), (characters, size) => {
      const dump = `${characters.join('')}`
      const result = () => rewrittenDump(dump, {}, [size]).dump.toString()

      try {
        expect(result()).toBe(dump)
      } catch (error) {
        if (!String(error).includes('inside a statement')) throw error
      }
    }),
    runs(300),
  )
})
