// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { type CloningServer, cloningServer, siteOf, sqlOf } from '#tests/support/system/cloning.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'

const MINUTES = 60_000
const ASCII = 'xn--bcher-kva.example.test'
const WRITTEN = 'bücher.example.test'
const PLAIN = 'old.example.test'
const site = siteOf(ASCII, 'books1a2b3c')
const place = { user: site.user, docroot: `/srv/www/${site.user}/public` }

/** How texts have the address of the site; `%` stands for the name as each of them writes it. */
const FORMS: Record<string, string> = {
  plain: 'http://bücher.example.test/a',
  ascii: `http://${ASCII}/a`,
  json: String.raw`{"url":"http:\/\/b\u00fccher.example.test\/a"}`,
  'json in capitals': String.raw`{"url":"http:\/\/b\u00FCcher.example.test\/a"}`,
  'ascii in json': String.raw`{"url":"http:\/\/${ASCII}\/a"}`,
  'json in json': String.raw`"{\"url\":\"http:\\\/\\\/b\\u00fccher.example.test\"}"`,
  'url-encoded': '?to=http%3A%2F%2Fb%C3%BCcher.example.test%2Fa',
  alone: 'Willkommen bei „bücher.example.test“',
  serialised: 's:29:"http://bücher.example.test/a";',
  'serialised ascii': `s:35:"http://${ASCII}/a";`,
}
const expectedIn = (name: string): Record<string, string> => ({
  plain: `http://${name}/a`,
  ascii: `http://${name}/a`,
  json: String.raw`{"url":"http:\/\/${name}\/a"}`,
  'json in capitals': String.raw`{"url":"http:\/\/${name}\/a"}`,
  'ascii in json': String.raw`{"url":"http:\/\/${name}\/a"}`,
  'json in json': String.raw`"{\"url\":\"http:\\\/\\\/${name}\"}"`,
  'url-encoded': `?to=http%3A%2F%2F${name}%2Fa`,
  alone: `Willkommen bei „${name}“`,
  serialised: `s:${9 + name.length}:"http://${name}/a";`,
  'serialised ascii': `s:${9 + name.length}:"http://${name}/a";`,
})

/** What a change of the address cannot or must not change. */
const KEPT: Record<string, string> = {
  damaged: `a:1:{i:0;s:99:"http://${WRITTEN}/a";}`,
  email: `anna@${WRITTEN}`,
  subdomain: `http://cdn.${ASCII}/a`,
  port: `http://${WRITTEN}:8443/`,
  base64: btoa(`http://${ASCII}/`),
  other: 'http://üxn--bcher-kva.example.test',
}

unless(lab.available()).describe('the addresses of an internationalised site', () => {
  let world: CloningServer
  let sql: Awaited<ReturnType<typeof sqlOf>>

  const quoted = (text: string) => `x'${Buffer.from(text).toString('hex')}'`
  const fill = async (texts: Record<string, string>) => {
    const rows = Object.entries(texts).map(([name, text]) => `('${name}', ${quoted(text)})`)
    await sql('DROP TABLE IF EXISTS facts')
    await sql('CREATE TABLE facts (name VARCHAR(64) PRIMARY KEY, fact LONGTEXT) CHARSET utf8mb4')
    await sql(`INSERT INTO facts VALUES ${rows.join()}`)
  }
  const facts = async (): Promise<Record<string, string>> => {
    const lines = (await sql('SELECT name, HEX(fact) FROM facts')).trim().split('\n')
    const pairs = lines.map((line) => line.split('\t'))
    return Object.fromEntries(
      pairs.map(([name, hex = '']) => [name, Buffer.from(hex, 'hex').toString()]),
    )
  }
  const fact = (reason: string, example = '') => ({
    ...{ table: 'facts', column: 'fact', reason, count: 1 },
    examples: [example],
  })
  const rename = (from: string, primary: string) =>
    world.completed('site.rename', { domain: from, primary, former: 'none' })
  const config = (...args: string[]) =>
    wpCli(world.host, place, site.php, ['config', ...args, '--type=constant'])

  beforeAll(async () => {
    world = await cloningServer('rename-written')
    await world.completed('site.create', site)
    sql = await sqlOf(world.host, site.user)
    const home = `s|<?php|<?php\\ndefine('WP_HOME', 'http://${WRITTEN}');|`
    await world.host.must(['sed', '--in-place', home, `${place.docroot}/wp-config.php`])
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('are changed however they are written, and back to the ASCII form of the name', async () => {
    await fill(FORMS)

    const { addresses } = await rename(ASCII, PLAIN)

    expect(await facts()).toEqual(expectedIn(PLAIN))
    expect(await config('get', 'WP_HOME')).toBe(`http://${PLAIN}\n`)
    expect(addresses.left.filter(({ table }) => table === 'facts')).toEqual([])

    await rename(PLAIN, ASCII)

    expect(await facts()).toEqual(expectedIn(ASCII))
    expect(await config('get', 'WP_HOME')).toBe(`http://${ASCII}\n`)
  })

  test('are reported if they stay', async () => {
    await fill(KEPT)

    const { addresses } = await rename(ASCII, PLAIN)

    expect(await facts()).toEqual(KEPT)
    const guids = ['?p=1', '?page_id=2', '?page_id=3'].map((query) => `http://${ASCII}/${query}`)
    const tableOf = (table: string) => table.replace(/^\w+_posts$/, 'wp_posts')
    expect(addresses.left.map((one) => ({ ...one, table: tableOf(one.table) }))).toEqual([
      fact('base64', '***'),
      fact('damaged', KEPT.damaged),
      fact('email', `***@${WRITTEN}`),
      fact('port', KEPT.port),
      fact('subdomain', KEPT.subdomain),
      { table: 'wp_posts', column: 'guid', reason: 'skipped', count: 4, examples: guids },
    ])
    await rename(PLAIN, ASCII)
  })
})
