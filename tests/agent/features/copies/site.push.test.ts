import { expect, test } from 'bun:test'
import { sitePush } from '#agent/features/copies/site.push.ts'
import { findBaseline } from '#agent/kernel/baseline/baseline.ts'
import { finishSteps } from '#agent/kernel/operations/steps.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { resultOf } from '#agent/kernel/steps/progress.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { ADDRESSES, PAGE, pair, table } from '#tests/support/agent/pair.ts'
import { during, keeps, REPLACED, REPLACING } from '#tests/support/agent/replaced.ts'
import { copy } from '#tests/support/agent/staging.ts'
import { anna } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { times } from '#tests/support/runs.ts'

const params = {
  ...{ domain: shop.domain, from: copy.domain, files: true },
  ...{ tables: ['wp_options', 'wp_posts'], overwrite: [] as string[] },
}
const run = (host: FakeHost, given = params) => outcome(sitePush.run(given, contextOf(host)))

test('prepares everything, then replaces files and tables, and keeps the previous state', async () => {
  const { host } = await pair()

  const [lines, result] = await run(host)

  expect(lines).toEqual([
    'Copying from staging.shop.example',
    'Copied 2 tables',
    expect.stringMatching(/^Copied the files: \d+ B$/),
    'Pausing the jobs of WordPress',
    'Stopping PHP',
    'Keeping the current state',
    'Saving the current database',
    'Replacing 2 tables',
    'Keeping the configuration and the uploads of the live site',
    'Replacing the files',
    'Changing the addresses in configuration files',
    'Recording the push',
    'Flushing the object cache of shop.example',
    'Writing the files to the disk',
    'Starting PHP 8.2',
    'Keeping the previous state for a week',
    'Resuming the jobs of WordPress',
    'Emptying the page cache of shop.example',
    'Waiting for an answer of the site',
    'Recording the tables and files that both sites have',
    'Removing the fetched data',
  ])
  expect(result).toEqual({
    domain: shop.domain,
    at: '2026-01-01T00:00:00.000Z',
    until: '2026-01-08T00:00:00.000Z',
    addresses: ADDRESSES,
  })
  expect(host.disk.text(`/srv/www/.restore/shop/previous/${PAGE}`)).toBe('of shop')
})

test('keeps the options that belong to the live site', async () => {
  const { host } = await pair()

  await run(host)

  const statements = host.runs.flatMap(({ options: { input = '' } }) => input.split('\n'))
  const kept = statements.filter((one) => one.includes('hosting_kept_options'))
  expect(kept.map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual([
    ...['DROP TABLE', 'CREATE TABLE', 'INSERT INTO', 'DROP TABLE'],
  ])
  for (const name of ['siteurl', 'blog_public', 'woocommerce_stripe_settings']) {
    expect(kept[1]).toContain(`'${name}'`)
  }
})

test('keeps no options of a table of a plugin that only has such a name', async () => {
  const { host, tables } = await pair()
  const both = [...tables.shop, table('wp_mainwp_wp_options', 'c')]
  Object.assign(tables, { shop: both, 'staging-shop': both })

  const pushed = ['wp_options', 'wp_mainwp_wp_options']
  const [, result] = await run(host, { ...params, tables: pushed, overwrite: pushed })

  expect(result).toMatchObject({ domain: shop.domain })
  const statements = host.runs.flatMap(({ options: { input = '' } }) => input.split('\n'))
  const kept = statements.filter((one) => one.includes('hosting_kept_options'))
  expect(kept.filter((one) => one.includes('FROM `wp_options`'))).toHaveLength(1)
  expect(kept.filter((one) => one.includes('mainwp'))).toEqual([])
})

test.each([
  ['a table that changed on the live site', ['wp_posts'], [], 'wp_posts'],
  ['only those that are not named', ['wp_options', 'wp_posts'], ['wp_options'], 'wp_posts'],
])('refuses %s', async (_, changed, overwrite, named) => {
  const { host, tables } = await pair()
  tables.shop = tables.shop.map((one) =>
    changed.includes(one.table) ? table(one.table, 'x') : one,
  )
  const before = host.disk.text(`/srv/www/shop/${PAGE}`)

  const [lines, reason] = await run(host, { ...params, overwrite })

  expect(reason).toBe(
    `shop.example has changes that would be lost in: ${named}. Leave these tables out, or name them in overwrite`,
  )
  expect(lines).not.toContain('Stopping PHP')
  expect(host.disk.text(`/srv/www/shop/${PAGE}`)).toBe(before)
})

test('refuses a change that comes while the copy is made, and undoes everything', async () => {
  const { host, tables } = await pair()
  const { cp } = host.table
  host.table.cp = (...call) => {
    tables.shop = [table('wp_options', 'a', 3), table('wp_posts', 'an order')]
    return cp?.(...call) ?? { code: 0, stdout: '', stderr: '' }
  }

  const [lines, reason] = await run(host)

  expect(reason).toContain('has changes that would be lost in: wp_posts')
  expect(lines).toContain('Stopping PHP')
  expect(host.disk.text(`/srv/www/shop/${PAGE}`)).toBe('of shop')
})

test('a table that is pushed counts as the same on both sites', async () => {
  const { host, tables } = await pair()
  tables['staging-shop'] = [table('wp_options', 'a', 3), table('wp_posts', 'design')]

  await run(host, { ...params, tables: ['wp_posts'] })

  const known = await findBaseline(host, copy.domain, shop.domain)
  expect(known?.staging).toEqual([table('wp_options', 'a', 3), table('wp_posts', 'design')])
})

test('the time of pushed files is recorded, before a program of the live site runs', async () => {
  const { host } = await pair()

  await run(host)

  const known = await findBaseline(host, copy.domain, shop.domain)
  expect(known?.files).toEqual({ at: new Date(host.time).toISOString(), folder: '' })
})

test('the recorded tables of a failed push are not used by the next one', async () => {
  const { host, tables } = await pair()
  tables['staging-shop'] = [table('wp_options', 'a', 3), table('wp_posts', 'design')]
  host.fail('tar --create', 'tar: Input/output error', 2)
  await run(host)
  host.answer('tar --create', '')

  await run(host, { ...params, tables: [] })

  const known = await findBaseline(host, copy.domain, shop.domain)
  expect(known?.staging).toEqual([table('wp_options', 'a', 3), table('wp_posts', 'b')])
})

test('refuses a table that the staging site does not have', async () => {
  const { host } = await pair()
  const given = { ...params, tables: ['wp_gone'], overwrite: ['wp_gone'] }

  expect((await run(host, given))[1]).toBe('staging.shop.example does not have the table wp_gone')
})

test('is refused while the content of the staging site is being replaced', async () => {
  const { host } = await pair()
  keeps(host, copy.user)

  expect(await run(host)).toEqual([[], REPLACING(copy.domain)])
})

test.each([
  ['tables', 'xargs', { files: false }],
  ['files', 'tar --create', { tables: [] }],
])('fails when a restore of the staging site begins while its %s are copied', async (...given) => {
  const [, program, chosen] = given
  const { host } = await pair()
  during(host, program, () => keeps(host, copy.user))

  const [lines, reason] = await run(host, { ...params, ...chosen })

  expect(reason).toBe(REPLACED(copy.domain, 'copy'))
  expect(lines).not.toContain('Stopping PHP')
})

const isClosed = ({ disk }: FakeHost) => /^shop:!:+2:/m.test(disk.text('/etc/shadow') ?? '')

/** People can log in to the live site. */
async function live(): Promise<FakeHost> {
  const { host } = await pair()
  await writeSite(host, { ...(await getSite(host, shop.domain)), access: [anna] })
  return host
}

test('nobody is logged in from the end of PHP to its start', async () => {
  const host = await live()

  const [lines] = await run(host)

  const about = /^(Stopping|Ending|Keeping the current|Starting|Resuming|Allowing|Waiting)/
  expect(lines.filter((line) => about.test(line))).toEqual([
    'Stopping PHP',
    'Ending the SFTP and SSH sessions of shop.example',
    'Keeping the current state',
    'Starting PHP 8.2',
    'Allowing logins to shop.example again',
    'Resuming the jobs of WordPress',
    'Waiting for an answer of the site',
  ])
  expect(isClosed(host)).toBe(false)
})

test('whatever fails, people can log in afterwards, at the latest after a retry of what is left', async () => {
  const outcomes = { failed: 0, wasClosed: 0 }
  await eachFault(
    live,
    (host) => run(host),
    async (host, _, [lines, result], fault) => {
      outcomes.failed += Number(typeof result === 'string')
      outcomes.wasClosed += Number(lines.some((line) => line.startsWith('Ending the SFTP')))
      const steps = (await sitePush.steps?.(params, host)) ?? []
      if (typeof result !== 'string') await resultOf(finishSteps(steps, { write: async () => {} }))
      expect([fault, isClosed(host)]).toEqual([fault, false])
    },
  )
  expect(outcomes.failed).toBeGreaterThan(times(50))
  expect(outcomes.wasClosed).toBeGreaterThan(times(50))
})
