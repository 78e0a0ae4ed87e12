import { endOf } from './dashboard.ts'
import { startWithShop } from './enrolled.ts'
import { SHOP as SITE } from './prepared.ts'

export const SHOP = SITE.domain
const OTHER = 'neighbour.example.test'
const NEVER = '0 0 1 1 *'

interface Managed {
  id: number
  user: string
  docroot: string
}

export type JobsWorld = Awaited<ReturnType<typeof startJobsWorld>>

/** A server with two sites, and the calls for the cron jobs of the first. */
export async function startJobsWorld(suite: 'bookworm' | 'trixie', php: string) {
  const { world, shop: site } = await startWithShop(suite)
  const { host, dashboard, path, stop } = world
  const managed = async ({ id }: { id: number }): Promise<Managed> => {
    const { body } = await dashboard.call('GET', path(`/sites/${id}`))
    const { user } = body.site as Managed
    return { id, user, docroot: `/srv/www/${user}/public` }
  }
  const create = async (domain: string): Promise<Managed> => {
    const created = await dashboard.call('POST', path('/sites'), { domain, php, tls: 'none' })
    await endOf(dashboard, created)
    return managed(created.body.site as Managed)
  }
  const [shop, other] = [await managed(site), await create(OTHER)]

  const at = (below: string) => path(`/sites/${shop.id}${below}`)
  const stream = (method: string, below: string, body: object) =>
    dashboard.stream(method, at(below), body)
  const set = async (jobs: object[]) => {
    const end = (await stream('PUT', '/jobs', { jobs })).at(-1)
    if (end?.event !== 'complete') throw new Error(JSON.stringify(end))
  }
  return {
    ...{ host, dashboard, shop, other, stop, set },
    call: (method: string, below: string, body?: object) => dashboard.call(method, at(below), body),
    /** The only job of the site, which runs on request. */
    only: (command: string, more: object = {}) =>
      set([{ name: 'one', schedule: NEVER, command, ...more }]),
    /** The lines and the end of a run. */
    async run() {
      const events = await stream('POST', '/job-run', { name: 'one' })
      const lines = events.flatMap(({ event, data }) => (event === 'log' ? [data.message] : []))
      return { lines, end: events.at(-1) }
    },
    unit: `hosting-job@${shop.user}:one`,
  }
}
