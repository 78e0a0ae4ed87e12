import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rewrittenDump } from '#tests/support/rewrite/rewritten.ts'
import { runs } from '#tests/support/runs.ts'

/** As mariadb-dump 11.8 writes it. */
const START = `/*M!999999\\- enable the sandbox mode */
-- MariaDB dump 10.19-11.8.6-MariaDB, for debian-linux-gnu (x86_64)
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*M!100616 SET @OLD_NOTE_VERBOSITY=@@NOTE_VERBOSITY, NOTE_VERBOSITY=0 */;`
const END = `
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;

-- Dump completed on 2026-11-23  1:00:00
`

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

/** The statements of a table, without the settings around them. */
const tableOf = (name: string, values: string) => `

--
-- Table structure for table ${quoted(name)}
--

DROP TABLE IF EXISTS ${quoted(name)};
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE ${quoted(name)} (
  \`id\` int(11) NOT NULL COMMENT ';',
  \`text\` longtext DEFAULT NULL,
  PRIMARY KEY (\`id\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES ${quoted(name)} WRITE;
/*!40000 ALTER TABLE ${quoted(name)} DISABLE KEYS */;
INSERT INTO ${quoted(name)} VALUES
${values};
/*!40000 ALTER TABLE ${quoted(name)} ENABLE KEYS */;
UNLOCK TABLES;`

const sequenceOf = (name: string) => `

DROP SEQUENCE IF EXISTS ${quoted(name)};
CREATE SEQUENCE ${quoted(name)} start with 1 minvalue 1 maxvalue 9223372036854775806 increment by 1 cache 1000 nocycle ENGINE=InnoDB;
DO SETVAL(${quoted(name)}, 4001, 0);`

/** What remains of the section of another table. */
const SETTINGS = `
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
/*!40101 SET character_set_client = @saved_cs_client */;
UNLOCK TABLES;`

const chosen = (dump: string, tables: string[], sizes?: number[]) => {
  const { dump: after, report } = rewrittenDump(dump, { rules: [], tables }, sizes)
  return { dump: after.toString(), report }
}
const withoutBlankLines = (text: string) => text.replace(/\n+/g, '\n')

test('only the chosen tables and what stands around all tables pass', () => {
  const [one, two] = [
    tableOf('wp_posts', "(1,'a;`b`')"),
    tableOf('wp_options', "(2,'c'),\n(3,'d')"),
  ]

  const { dump, report } = chosen(`${START}${one}${two}${END}`, ['wp_options'])

  expect(dump).toBe(`${START}${SETTINGS}${two}${END}`)
  expect(report).toEqual({
    bytes: { read: `${START}${one}${two}${END}`.length, written: dump.length },
    replaced: 0,
    tables: [{ table: 'wp_options', rows: 2, columns: [] }],
    left: [],
    missing: [],
  })
})

test('an empty list leaves no table', () => {
  const one = tableOf('a', "(1,'')")

  expect(chosen(`${START}${one}${END}`, []).dump).toBe(`${START}${SETTINGS}${END}`)
})

test('a sequence is chosen like a table', () => {
  const [one, two] = [sequenceOf('s1'), sequenceOf('s2')]

  expect(chosen(`${START}${one}${two}${END}`, ['s2']).dump).toBe(`${START}${two}${END}`)
})

test('tables that the dump does not have are missing', () => {
  const dump = `${START}${tableOf('A', '(1,NULL)')}${END}`

  expect(chosen(dump, ['a', 'A', 'b']).report.missing).toEqual(['a', 'b'])
})

test('addresses in other tables are neither replaced nor reported', () => {
  const values = "(1,'https://old.example ann@old.example')"
  const dump = `${START}${tableOf('a', values)}${tableOf('b', values)}${END}`

  const { report } = rewrittenDump(dump, { tables: ['b'] })

  expect([report.replaced, report.left.map(({ table, count }) => [table, count])]).toEqual([
    1,
    [['b', 1]],
  ])
})

test.each([
  ['CREATE VIEW `v` AS SELECT 1;'],
  ['/*!50003 CREATE TRIGGER `t` BEFORE INSERT ON `a` FOR EACH ROW SET @a = 1 */;'],
  ['CREATE DATABASE `a`;'],
  ['INSERT INTO `b` SELECT * FROM `a`;'],
  ['INSERT INTO `a`.`b` VALUES (1);'],
  ['REPLACE INTO b SET a = 1;'],
  ["GRANT ALL ON `a`.* TO 'x';"],
  ['DROP TABLE `a`.`b`;'],
])('%s is not part of a', (statement) => {
  expect(chosen(`${START}\n${statement}${END}`, ['a']).dump).toBe(`${START}${END}`)
})

test.each([
  ['INSERT INTO `x`.`a` VALUES (1);'],
  ['INSERT IGNORE INTO a (`b`) VALUE (1) ON DUPLICATE KEY UPDATE b = 1;'],
  ['TRUNCATE `x`.`a`;'],
  ['CREATE TABLE IF NOT EXISTS a (b int);'],
])('%s is part of a', (statement) => {
  expect(chosen(`${START}\n${statement}${END}`, ['a']).dump).toBe(`${START}\n${statement}${END}`)
})

const anyName = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab`;\'".\n é') })
const anySection = fc.record({
  name: anyName,
  values: fc.constantFrom("(1,'`;--')", "(1,'a'),\n(2,0x00FF)", "(1,'\\';'),(2,NULL)"),
})
const any = fc.record({
  sections: fc.uniqueArray(anySection, { selector: ({ name }) => name, maxLength: 5 }),
  sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 }),
  isChosen: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
})

test('any tables are chosen by name from a dump in any chunks', () => {
  fc.assert(
    fc.property(any, ({ sections, sizes, isChosen }) => {
      const parts = sections.map(({ name, values }) =>
        tableOf(name, values).replace(/^--[\s\S]*?\n--\n/m, ''),
      )
      const wanted = sections.filter((_, at) => isChosen[at])
      const names = wanted.map(({ name }) => name)

      const { dump, report } = chosen(`${START}${parts.join('')}${END}`, names, sizes)

      const expected = parts.map((part, at) => (isChosen[at] ? part : SETTINGS)).join('')
      expect(withoutBlankLines(dump)).toBe(withoutBlankLines(`${START}${expected}${END}`))
      expect(report.missing).toEqual([])
      expect(report.tables.map(({ table }) => table)).toEqual(names)
    }),
    runs(500),
  )
})
