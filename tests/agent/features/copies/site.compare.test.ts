import { expect, test } from 'bun:test'
import { siteCompare } from '#agent/features/copies/site.compare.ts'
import { forgetBaseline } from '#agent/kernel/baseline/baseline.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { pair, table } from '#tests/support/agent/pair.ts'
import { copy } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const params = { domain: shop.domain, from: copy.domain }
const run = (host: FakeHost, given = params) => outcome(siteCompare.run(given, contextOf(host)))
const none = { count: 0, examples: [] }

test('shows what changed since both sites were the same, and changes nothing', async () => {
  const { host, tables } = await pair()
  tables.shop = [table('wp_options', 'a', 3), table('wp_orders', 'c', 2), table('wp_posts', 'live')]
  tables['staging-shop'] = [table('wp_options', 'staging', 4), table('wp_posts', 'b')]
  const before = host.disk.all

  const [, result] = await run(host)

  expect(result).toEqual({
    ...params,
    files: { added: none, changed: none, removed: none, live_changed: none, live_known: false },
    tables: [
      {
        ...{ name: 'wp_options', live_rows: 3, staging_rows: 4 },
        ...{ live_changed: false, staging_changed: true },
      },
      {
        ...{ name: 'wp_orders', live_rows: 2, staging_rows: null },
        ...{ live_changed: true, staging_changed: false },
      },
      {
        ...{ name: 'wp_posts', live_rows: 1, staging_rows: 1 },
        ...{ live_changed: true, staging_changed: false },
      },
    ],
  })
  expect(host.disk.all).toEqual(before)
})

test('removes what an interrupted comparison of the site left', async () => {
  const { host } = await pair()
  const before = host.disk.all
  await host.files.write(`${host.settings.state_dir}/compare-${shop.domain}/live`, 'old list')

  await run(host)

  expect(host.disk.all).toEqual(before)
})

test('compares a site again while it is compared', async () => {
  const { host } = await pair()
  const nothing = { code: 0, stdout: '', stderr: '' }
  host.table.sort = ({ disk }, _, { output_file = '' }) => {
    disk.putText(output_file, 'a list', { mode: 0o600 })
    return nothing
  }
  host.table.comm = ({ disk }, argv) => {
    const lists = argv.slice(-2).map((path) => disk.text(path))
    return lists.every((list) => list === 'a list') ? nothing : { ...nothing, code: 1 }
  }
  const { shell } = host
  const runAlone = shell.run.bind(shell)
  let again: ReturnType<typeof run> | undefined
  shell.run = async (argv, options) => {
    if (argv[0] === 'comm' && !again) {
      again = run(host)
      await Promise.race([again, Bun.sleep(20)])
    }
    return runAlone(argv, options)
  }

  const [, first] = await run(host)

  const second = (await again)?.[1]
  expect([first, second]).toEqual([expect.objectContaining(params), first])
})

test('counts every table as changed when nothing is known of the time of the copy', async () => {
  const { host } = await pair()
  await forgetBaseline(host, copy.domain)

  const [, result] = await run(host)

  const changed = { live_changed: true, staging_changed: true }
  expect(result).toMatchObject({ tables: [changed, changed] })
})

test('refuses a pair of which the one is no staging site of the other', async () => {
  const { host } = await pair()

  const [, reason] = await run(host, { domain: copy.domain, from: shop.domain })

  expect(reason).toBe('shop.example is not a staging site of staging.shop.example')
})
