import { siteCreate } from '#agent/features/sites/site.create.ts'
import { writeBaseline } from '#agent/kernel/baseline/baseline.ts'
import type { TableDigest } from '#agent/kernel/database/digests.ts'
import type { RunOptions } from '#agent/kernel/host/ports.ts'
import { done } from '#agent/kernel/host/simulated/programs/output.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { contextOf, outcome, server, shop } from './debian.ts'
import { copy } from './staging.ts'

export const PAGE = 'public/page.html'
export const ADDRESSES = { replaced: 7, left: [] }

export const table = (name: string, content: string, rows = 1): TableDigest => ({
  ...{ table: name, rows },
  sha256: new Bun.CryptoHasher('sha256').update(content).digest('hex'),
})

/** The present tables of each site. */
export type Tables = Record<'shop' | 'staging-shop', TableDigest[]>

/** A live site and its staging site, with the same tables. */
export async function pair(): Promise<{ host: FakeHost; tables: Tables }> {
  const host = await server(shop)
  host.pages.set(`http://${copy.domain}/`, `<a href="http://${copy.domain}/">`)
  const [, result] = await outcome(siteCreate.run(copy, contextOf(host)))
  if (typeof result === 'string') throw new Error(result)
  const both = [table('wp_options', 'a', 3), table('wp_posts', 'b')]
  const tables = { shop: both, 'staging-shop': both }
  await writeBaseline(host, copy.domain, {
    ...{ of: shop.domain, at: '2026-01-01T00:00:00.000Z', live: both, staging: both },
  })
  for (const user of ['shop', 'staging-shop']) {
    host.disk.putText(`/srv/www/${user}/${PAGE}`, `of ${user}`)
  }
  host.table = { ...host.table, cp: done, 'hosting-agent': rewriter(tables) }
  host.runs.length = 0
  return { host, tables }
}

type Given = Pick<RunOptions, 'input' | 'output_file' | 'site'>

/** Reports the tables of the database that is read: the other one, if its dump is rewritten. */
const rewriter =
  (tables: Tables) =>
  (host: FakeHost, _: readonly string[], { input = '', output_file, site }: Given) => {
    const request = JSON.parse(input.split('\n')[0] ?? '')
    const isOwn = request.output === false
    const user = (site?.user === 'shop') === isOwn ? 'shop' : 'staging-shop'
    const asked: string[] | undefined = request.tables
    const found = tables[user].filter((one) => asked?.includes(one.table) ?? true)
    if (output_file !== undefined) host.disk.putText(output_file, 'rewritten')
    return {
      ...done(),
      stderr: `${JSON.stringify({ ...ADDRESSES, tables: found, missing: [] })}\n`,
    }
  }
