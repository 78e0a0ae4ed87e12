import { type Answer, endOf } from './dashboard.ts'
import { startEnrolled } from './enrolled.ts'
import { packaged } from './packaged.ts'

interface Managed {
  id: number
  user: string
}

export type SiteDatabaseWorld = Awaited<ReturnType<typeof startSiteDatabase>>

const BATCH = ['--batch', '--skip-column-names']

/** A server with two sites, and the calls for the database of the first. */
export async function startSiteDatabase(suite: 'bookworm' | 'trixie', php: string) {
  const { host, dashboard, path, stop } = await startEnrolled(suite, await packaged(suite))
  await dashboard.stream('POST', path('/provision'), { php_versions: [php] })
  const create = async (domain: string): Promise<Managed> => {
    const created = await dashboard.call('POST', path('/sites'), { domain, php, tls: 'none' })
    await endOf(dashboard, created)
    const { id } = created.body.site as Managed
    return (await dashboard.call('GET', path(`/sites/${id}`))).body.site as Managed
  }
  const shop = await create('shop.example.test')
  const other = await create('neighbour.example.test')
  const at = (below: string) => path(`/sites/${shop.id}${below}`)
  const root = async (sql: string): Promise<string[]> =>
    (await host.must(['mariadb', ...BATCH], { input: `${sql};\n` })).split('\n').filter(Boolean)
  return {
    ...{ host, dashboard, shop, other, stop, at, root },
    call: (method: string, below: string, body?: object): Promise<Answer> =>
      dashboard.call(method, at(below), body),
    stream: (method: string, below: string, body?: object) =>
      dashboard.stream(method, at(below), body),
  }
}
