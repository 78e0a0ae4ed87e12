import { expect, test } from 'bun:test'
import { definitionOf } from '#agent/programs/rewrite/dump.ts'
import { rewrittenDump } from '#tests/support/rewrite/rewritten.ts'

const table = (column: string, next = 7) =>
  `CREATE TABLE \`wp_a\` (\n  \`id\` int NOT NULL AUTO_INCREMENT,\n  \`${column}\` text\n) ENGINE=InnoDB AUTO_INCREMENT=${next} DEFAULT CHARSET=utf8mb4`

test('depends on the columns, and not on the next automatic number', () => {
  expect(definitionOf(table('a', 8))).toBe(definitionOf(table('a', 9)))
  expect(definitionOf(table('a'))).not.toBe(definitionOf(table('b')))
})

test('does not take a comment for the next automatic number', () => {
  const commented = (text: string) => definitionOf(table(`x\` COMMENT '${text}`))

  expect(commented(' AUTO_INCREMENT=1')).not.toBe(commented(' AUTO_INCREMENT=2'))
})

test('is reported for each table on request', () => {
  const dump = `${table('a')};\nINSERT INTO \`wp_a\` VALUES (1,'x');\n`
  const report = (definitions: boolean) =>
    rewrittenDump(dump, { digest: true, definitions }, [7]).report.tables[0]

  expect(report(true)?.definition).toMatch(/^[0-9a-f]{64}$/)
  expect(report(false)?.definition).toBeUndefined()
})
