// tier: gate
import { expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { siteRename } from '#agent/features/copies/site.rename.ts'
import { findSite, writeSite } from '#agent/kernel/site/sites.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { isKilledAt } from '#tests/support/agent/killed.ts'
import {
  CONFIG,
  NEW,
  OLD,
  renamable,
  rename,
  renameParams,
  standing,
  wholly,
} from '#tests/support/agent/renaming.ts'
import { copy } from '#tests/support/agent/staging.ts'
import { authority, serveTokens } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'
import { recover } from '#tests/support/recover.ts'
import { points, times } from '#tests/support/runs.ts'

const servedNames = (host: FakeHost, domain: string) => {
  const text = host.disk.all[`/etc/nginx/sites-available/hosting-${domain}.conf`] ?? ''
  return [...text.matchAll(/server_name (.+);/g)].map(([, names]) => names)
}

test('prepares everything, serves the new name, and redirects the former one to it', async () => {
  const host = await renamable()

  const [lines, result] = await rename(host)

  expect(lines).toEqual([
    'Serving new.example beside shop.example',
    'Pausing the jobs of WordPress',
    'Stopping PHP',
    'Keeping the current state',
    'Saving the current database',
    'Changing the addresses in the saved database',
    '1 addresses in 1 tables',
    'Replacing the tables with changed addresses',
    'Changing the address in configuration files',
    'Changed wp-config.php',
    'Checking the address of WordPress',
    'Flushing the object cache of new.example',
    'Serving new.example instead of shop.example',
    'Writing the files to the disk',
    'Starting PHP 8.2',
    'Recording new.example as the primary domain',
    'Resuming the jobs of WordPress',
    'Emptying the page cache of new.example',
    'Waiting for an answer of the site',
    'Removing the state before the last restore, which has the former address',
    'Removing the kept state',
    'Changing the comment of the system user',
    'Applying the jobs',
    'Changing the domain of the mail settings',
    'Recording the new domain with the staging sites',
    'Removing the virtual host of shop.example',
    'Discarding the certificate requests of shop.example',
    'Recording the names that the certificate leaves out',
  ])
  const redirects = [OLD, `www.${OLD}`].map((domain) => ({ domain, status: 301, keep_path: true }))
  expect(result).toEqual({
    ...{ domain: NEW, former: OLD, www: 'serve', aliases: [], redirects },
    addresses: { replaced: 1, left: [] },
  })
  expect(await standing(host)).toEqual(wholly(NEW))
  expect(servedNames(host, NEW)).toEqual([`${NEW} www.${NEW}`, `${OLD} www.${OLD}`])
  expect(servedNames(host, OLD)).toEqual([])
  expect((await findSite(host, NEW))?.user).toBe('shop')
  expect(host.disk.text('/etc/passwd')).toContain(`:Site ${NEW}:/srv/www/shop:`)
})

test('reports the addresses that stay', async () => {
  const damaged = `a:1:{i:0;s:99:"http://${OLD}/";}`
  const host = await renamable(shop, [damaged, `anna@${OLD}`, `http://${OLD}:8443/`, btoa(OLD)])

  const [, result] = await rename(host)

  const left = (reason: string, example: string) => ({
    ...{ table: 'wp_options', column: 'option_value', reason, count: 1 },
    examples: [example],
  })
  expect(result).toMatchObject({
    addresses: {
      replaced: 1,
      left: [
        left('damaged', damaged),
        left('email', `***@${OLD}`),
        left('port', `http://${OLD}:8443/`),
        left('base64', btoa(OLD)),
      ],
    },
  })
})

test('can be changed back, and then nothing is left of the other name', async () => {
  const host = await renamable()
  const before = await standing(host)
  const names = servedNames(host, OLD)
  await rename(host)

  const [, result] = await rename(host, { domain: NEW, primary: OLD, former: 'none' })

  expect(result).toMatchObject({ domain: OLD, former: NEW, aliases: [], redirects: [] })
  expect(await standing(host)).toEqual(before)
  expect(servedNames(host, OLD)).toEqual(names)
})

test('replaces only tables with addresses, and gives the database the new one', async () => {
  const host = await renamable()

  await rename(host)

  const dropped = host.runs.filter(({ options: { input } }) => input?.includes('DROP TABLE'))
  expect(dropped.map(({ options: { input } }) => input?.split('\n')[1])).toEqual([
    'DROP TABLE IF EXISTS `wp_options`;',
  ])
})

test('a staging site follows its live site', async () => {
  const host = await renamable()
  await writeSite(host, copy)

  await rename(host)

  expect((await findSite(host, copy.domain))?.staging?.of).toBe(NEW)
})

test.each([
  [
    'no name of another site',
    { primary: 'b.example' },
    'b.example is a name of the site b.example',
  ],
  ['not its www form', { primary: 'www.b.example' }, 'is a name of the site b.example'],
])('accepts %s', async (_, given, message) => {
  const host = await renamable()
  await writeSite(host, { ...shop, domain: 'b.example', user: 'other' })

  const [lines, reason] = await rename(host, given)

  expect([lines, reason]).toEqual([[], expect.stringContaining('')])
  const error = await siteRename.plan(renameParams(given), host).catch((caught) => caught)
  expect(error.fields.primary[0]).toContain(message)
})

test.each([
  ['a network of sites', 'multisite', (host: FakeHost) => network(host)],
  [
    'an address that WordPress does not take',
    'address_fixed',
    (host: FakeHost) => fixedAddress(host),
  ],
])('refuses %s with the code %s, and leaves all as it was', async (_, code, prepare) => {
  const host = await renamable()
  prepare(host)
  const before = await standing(host)

  const work = siteRename.run(renameParams(), contextOf(host))
  const error = await Array.fromAsync(work).catch((caught: unknown) => caught)

  expect(error instanceof ServiceError && error.refusal).toBe(code as never)
  expect(await standing(host)).toEqual(before)
})

test.each([
  ['/srv/www', 30e9, '30.2 GB', '30.3 GB'],
  ['/var/lib/mysql', 10e9, '10.2 GB', '10.3 GB'],
])('is refused if %s has no space for its database', async (path, bytes, few, needed) => {
  const host = await renamable()
  host.answer('du --summarize', `${10e9}\t/var/lib/mysql/shop\n`)
  const total = 1e12
  const least = bytes + 2 ** 28
  const space = (free: number) => async (of: string) => ({
    total,
    free: of === path ? free : total,
  })
  host.files.space = space(least - 1e8)

  expect(await rename(host)).toEqual([
    [],
    `${path} has ${few} free, and the change of the addresses needs ${needed}`,
  ])

  host.files.space = space(least)
  expect(await rename(host)).toEqual([expect.any(Array), expect.objectContaining({ domain: NEW })])
})

const network = (host: FakeHost) => host.disk.putText(CONFIG, "<?php\ndefine('MULTISITE', true);\n")

function fixedAddress(host: FakeHost): void {
  const { php } = host.table
  host.table.php = (machine, argv, options) =>
    options.input?.includes('$hostOf')
      ? { code: 1, stdout: '', stderr: 'Error: home stays at cdn.example' }
      : (php?.(machine, argv, options) ?? { code: 0, stdout: '', stderr: '' })
}

test('is complete under one name, whichever effect fails', async () => {
  let failed = 0
  const count = await eachFault(
    renamable,
    (host) => rename(host),
    async (host, _, [, result], fault) => {
      const isFailed = typeof result === 'string'
      if (isFailed) failed += 1
      const found = await standing(host)
      // What a step after the decision leaves is reported as pending cleanup.
      const { kept, files } = isFailed ? wholly(OLD) : found
      expect([fault, found]).toEqual([fault, { ...wholly(isFailed ? OLD : NEW), kept, files }])
      const served = isFailed ? [`${OLD} www.${OLD}`] : expect.any(Array)
      expect([fault, servedNames(host, OLD)]).toEqual([fault, served])
    },
  )
  expect(failed).toBeGreaterThan(times(20))
  expect(failed).toBeLessThan(count)
}, 240_000)

test('is complete under one name, at whichever effect the agent is killed', async () => {
  const ends = new Set<string>()
  for (const at of points(2)) {
    const host = await renamable()
    if (!(await isKilledAt(at, host, 'site.rename', renameParams()))) break
    await recover(host, commands)
    const found = await standing(host)
    const end = found.records[0] ?? 'no record'
    ends.add(end)
    expect([at, found]).toEqual([at, wholly(end)])
  }
  expect([...ends].sort()).toEqual([NEW, OLD])
}, 240_000)

test('warns of the names that the new certificate leaves out', async () => {
  const host = await renamable()
  const names = SiteNames.parse({ aliases: ['dead.example'] })
  await writeSite(host, { ...shop, names, tls: 'letsencrypt' })
  serveTokens(host, [NEW, `www.${NEW}`, OLD, `www.${OLD}`, 'dead.example'])
  host.pages.set(`https://${NEW}/`, '')
  authority(host, (order) =>
    order.names.includes('dead.example')
      ? { refused: [{ name: 'dead.example', reason: 'connection refused' }] }
      : { chain: authorityPem },
  )
  const warnings: Warning[] = []

  const [, result] = await rename(host, {}, warnings)

  expect(result).toMatchObject({ domain: NEW, former: OLD, aliases: ['dead.example'] })
  const message = 'The certificate leaves out dead.example (connection refused)'
  expect(warnings).toEqual([{ code: 'certificate_refused', message }])
})
