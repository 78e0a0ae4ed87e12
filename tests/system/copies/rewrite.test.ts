// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { RewriteReport } from '#agent/programs/rewrite/report.ts'
import * as lab from '#tests/support/lab/index.ts'
import { DATABASE, Wordpress } from '#tests/support/rewrite/wordpress.ts'
import { unless } from '#tests/support/skip.ts'

const MINUTES = 60_000
const [OLD, NEW] = ['old.example', 'brand-new.example']
const RULES = [{ from: `//${OLD}`, to: `//${NEW}` }]
const CORPUS = new URL('../../support/rewrite/corpus.php', import.meta.url)

/** Tables of every kind, and addresses where only SQL is. */
const ODD = `CREATE TABLE odd (id INT PRIMARY KEY, \`key\` VARCHAR(99) DEFAULT 'https://${OLD}', b BIT(9),
    g GEOMETRY, j JSON, d DOUBLE, blob_ BLOB, made INT AS (id + 1) VIRTUAL, at DATETIME);
  INSERT INTO odd (id, \`key\`, b, g, j, d, blob_, at) VALUES
    (1, 'it''s "https://${OLD}" \\\\ \\n', b'101', POINT(1, 2), '{"u":"https:\\\\/\\\\/${OLD}"}', -1.5e30,
     x'00ff0a5c27', NOW()), (2, '', NULL, NULL, NULL, 0, 'http://${OLD}', NULL);
  CREATE VIEW seen AS SELECT id, 'https://${OLD}/' AS url FROM odd;
  CREATE TABLE latin (id INT PRIMARY KEY, value LONGTEXT CHARACTER SET latin1);
  INSERT INTO latin VALUES (1, _latin1 x'${Buffer.from(`s:24:"https://${OLD}/cafÿ";`, 'latin1').toString('hex')}');
  DELIMITER ;;
  CREATE TRIGGER odd_trigger BEFORE INSERT ON odd FOR EACH ROW BEGIN
    SET NEW.d = IF(NEW.\`key\` = 'https://${OLD};;', 1, 2); END;;
  CREATE PROCEDURE fill() BEGIN INSERT INTO odd (id) VALUES (3); SELECT "'https://${OLD}"; END;;
  DELIMITER ;`

unless(lab.available()).describe('rewriting the database of a WordPress', () => {
  let site: Wordpress
  let before: Record<string, string>
  let expected: Record<string, string>

  const corpus = async (domain: string) => {
    const argv = ['php', '-d', 'error_reporting=0', '/tmp/corpus.php', domain]
    return JSON.parse(await site.host.must(argv)) as Record<string, string>
  }
  const hex = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString('hex')
  const readCorpus = async (database: string, column: string) => {
    const lines = await site.sql(`SELECT name, TO_BASE64(${column}) FROM wp_corpus`, database)
    return Object.fromEntries(
      lines.split('\n').map((line) => line.replaceAll('\\n', '').split('\t')),
    )
  }

  beforeAll(async () => {
    site = await Wordpress.start('rewrite', OLD)
    await site.host.put('/tmp/corpus.php', await Bun.file(CORPUS).text())
    ;[before, expected] = [await corpus(OLD), await corpus(NEW)]
    const rows = Object.entries(before).map(
      ([name, value]) => `('${name}', x'${hex(value)}', x'${hex(value)}')`,
    )
    await site.sql(
      `CREATE TABLE wp_corpus (name VARCHAR(99) PRIMARY KEY, value LONGTEXT, copy LONGBLOB);
       INSERT INTO wp_corpus VALUES ${rows.join()}`,
      DATABASE,
    )
    await site.dump(DATABASE, '/tmp/before.sql')
    await site.dump(DATABASE, '/tmp/after.sql', { filter: await site.rewriter({ rules: RULES }) })
    await site.load('/tmp/after.sql', 'ours')
    await site.wp(
      'search-replace',
      `//${OLD}`,
      `//${NEW}`,
      '--all-tables',
      '--precise',
      '--skip-columns=guid',
    )
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('changes the tables of WordPress as wp-cli does', async () => {
    const options = `--skip-extended-insert --ignore-table=${DATABASE}.wp_corpus --ignore-table=ours.wp_corpus`
    await site.dump(DATABASE, '/tmp/theirs.sql', { options })
    await site.dump('ours', '/tmp/ours.sql', { options })
    const rowsOf = async (file: string) =>
      (await site.host.must(['grep', '-a', '^INSERT', file])).split('\n')

    expect(await rowsOf('/tmp/ours.sql')).toEqual(await rowsOf('/tmp/theirs.sql'))
  })

  test('gives every value of plugins the bytes that PHP would have written', async () => {
    expect(await readCorpus('ours', 'value')).toEqual(await readCorpus('ours', 'copy'))
    expect(await readCorpus('ours', 'value')).toEqual(expected)
  })

  test('changes what wp-cli changes, and what it leaves or damages', async () => {
    const theirs = await readCorpus(DATABASE, 'value')
    const names = Object.keys(expected)

    expect(names.filter((name) => theirs[name] !== expected[name])).toEqual(
      names.filter((name) => name.endsWith('*')),
    )
  })

  test('reports what remains', async () => {
    const report: RewriteReport = JSON.parse(await site.host.must(['cat', '/tmp/report.json']))

    expect(report.tables.find(({ table }) => table === 'wp_options')?.columns).toEqual([
      { column: 'option_value', changed: 2, replaced: { plain: 2 }, serialized: 0 },
    ])
    expect(
      report.left.map(({ table, column, reason, count }) => [table, column, reason, count]),
    ).toEqual([
      ['wp_corpus', 'value', 'email', 1],
      ['wp_corpus', 'copy', 'email', 1],
      ['wp_options', 'option_value', 'email', 1],
      ['wp_posts', 'guid', 'skipped', 3],
      ['wp_users', 'user_email', 'email', 1],
    ])
  })

  test('leaves every other byte of the dump, so that the reverse change returns the same dump', async () => {
    const back = await site.rewriter({ rules: [{ from: `//${NEW}`, to: `//${OLD}` }] })
    await site.as(['bash', '-ec', `cat /tmp/after.sql | ${back} > /tmp/back.sql`])

    expect(await site.host.must(['cmp', '/tmp/before.sql', '/tmp/back.sql'])).toBe('')
  })

  test.each([['--hex-blob'], ['--skip-extended-insert --complete-insert'], ['--compatible=ansi']])(
    'a dump with %s has the same result',
    async (options) => {
      await site.sql('DROP DATABASE IF EXISTS original; DROP DATABASE IF EXISTS copy')
      await site.load('/tmp/before.sql', 'original')
      const filter = await site.rewriter({ rules: RULES })
      await site.dump('original', '/tmp/copy.sql', { options, filter })
      await site.load('/tmp/copy.sql', 'copy')
      const tables = (database: string) =>
        site.sql('CHECKSUM TABLE wp_corpus, wp_options, wp_posts, wp_users, wp_usermeta', database)

      expect((await tables('copy')).replaceAll('copy.', '')).toBe(
        (await tables('ours')).replaceAll('ours.', ''),
      )
    },
  )

  test('values of every type survive, and views, triggers and procedures stay', async () => {
    await site.sql('CREATE DATABASE odd CHARACTER SET utf8mb4')
    await site.sql(ODD, 'odd')
    const filter = await site.rewriter({ rules: RULES })
    await site.dump('odd', '/tmp/odd.sql', { options: '--routines --hex-blob', filter })
    await site.load('/tmp/odd.sql', 'even')
    const rows = (database: string) => site.sql('SELECT *, HEX(blob_), HEX(g) FROM odd', database)
    const programs = (database: string) =>
      site.sql(`SELECT ACTION_STATEMENT FROM information_schema.TRIGGERS
          WHERE TRIGGER_SCHEMA = '${database}' UNION ALL
          SELECT ROUTINE_DEFINITION FROM information_schema.ROUTINES
          WHERE ROUTINE_SCHEMA = '${database}'`)
    const hexOf = (text: string) => Buffer.from(text).toString('hex').toUpperCase()

    expect(await rows('even')).toBe(
      (await rows('odd')).replaceAll(OLD, NEW).replaceAll(hexOf(OLD), hexOf(NEW)),
    )
    expect(await programs('even')).toBe(await programs('odd'))
    expect(await site.sql('SELECT url FROM seen LIMIT 1', 'even')).toBe(`https://${OLD}/`)
    expect(await site.sql('SELECT HEX(CONVERT(value USING latin1)) FROM latin', 'even')).toBe(
      Buffer.from(`s:30:"https://${NEW}/cafÿ";`, 'latin1').toString('hex').toUpperCase(),
    )
  })
})
