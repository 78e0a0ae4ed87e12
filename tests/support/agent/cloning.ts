import { siteClone } from '#agent/features/copies/site.clone.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { savedSite } from './backup.ts'
import { contextOf, outcome, server, shop } from './debian.ts'

type Params = ParamsOf<'site.clone'>

export const copy = { ...shop, domain: 'copy.example', user: 'copy' }
export const fromSite: Params = { ...copy, from: { kind: 'site', domain: shop.domain } }
export const REPORT = { replaced: 7, left: [] }

/** With a rewriter, and a database that accepts all statements. */
function ready(host: FakeHost): FakeHost {
  host.pages.set('http://copy.example/', '<a href="http://copy.example/">')
  host.table = {
    ...host.table,
    'hosting-agent': (_, __, { input = '' }) => ({
      ...printed(input),
      stderr: `${JSON.stringify(REPORT)}\n`,
    }),
  }
  host.answer('mariadb --no-defaults --user=copy', '')
  return host
}
export const siteServer = async () => ready(await server(shop))
export async function backupServer(record: Partial<Site> = {}) {
  const files = { '/srv/www/shop/public/page.html': 'as saved' }
  const { host, restore } = await savedSite(files, record)
  const { target, repository, password_id, password, backup } = restore({
    files: true,
    database: true,
  })
  const from = { kind: 'backup' as const, target, repository, password_id, password, backup }
  const params: Params = { ...copy, from }
  return { host: ready(host), params }
}
export const run = (host: FakeHost, params: Params) =>
  outcome(siteClone.run(params, contextOf(host)))
