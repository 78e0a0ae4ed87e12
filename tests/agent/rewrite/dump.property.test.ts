import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyValue, type Written } from '#tests/support/rewrite/any-value.ts'
import { rewrittenDump, rewrittenText } from '#tests/support/rewrite/rewritten.ts'
import { runs } from '#tests/support/runs.ts'

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
