import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/wait.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { get } from '#tests/support/system/requests.ts'
import type { World } from '#tests/support/system/world.ts'

const CALL = '<?xml version="1.0"?><methodCall><methodName>demo.sayHello</methodName></methodCall>'
/** The limit lets 31 through at once, and one more each second. */
const MANY = 45

/** xmlrpc.php as Jetpack calls it, closed, and over its limit. */
export function switchesXmlrpc(world: World): void {
  const ask = async () => {
    const options = ['--header', 'content-type: text/xml', '--data', CALL]
    return get(world.host, `http://${world.site.domain}/xmlrpc.php`, { options })
  }
  const turn = async (xmlrpc: boolean) => {
    const { dashboard, site } = world
    const begun = await dashboard.call('PATCH', world.path(`/sites/${site.id}`), { xmlrpc })
    return (await endOf(dashboard, begun)).data
  }

  test('answers at xmlrpc.php, limits how often one address asks there, and closes it on request', async () => {
    const first = await ask()
    expect([first.status, first.body]).toEqual([200, expect.stringContaining('Hello!')])

    const statuses = (await Promise.all(Array.from({ length: MANY }, ask))).map((a) => a.status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))

    expect(await turn(false)).toMatchObject({ status: 'ok', xmlrpc: false })
    // nginx reloads in the background.
    const isClosed = async () => (await ask()).status === 403
    expect(await poll(isClosed)).toBe(true)
    const { body } = await world.dashboard.call('GET', `/api/fleet/sites/${world.site.id}`)
    expect(body.site).toMatchObject({ xmlrpc: false })
    expect(await turn(true)).toMatchObject({ status: 'ok', xmlrpc: true })
    expect(await poll(async () => !(await isClosed()))).toBe(true)
  })
}

/** The limit lets 6 through at once, and one more each six seconds. */
const MANY_CRON = 15

/** The server runs what is due; Site Health requests this address, too. */
export function limitsCron(world: World): void {
  test('limits how often anybody asks a site for what is due', async () => {
    const url = `http://${world.site.domain}/wp-cron.php?doing_wp_cron`
    expect((await get(world.host, url)).status).toBe(200)
    const many = Array.from({ length: MANY_CRON }, () => get(world.host, url))
    const statuses = (await Promise.all(many)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })
}

/** In the published list of Jetpack, and beside it. */
const ALLOWED = '192.0.64.9'
const OTHER = '192.0.128.9'

/** The server has both addresses during the test: a visitor comes from each of them. */
export function answersJetpackOnly(world: World, configure: (change: object) => Promise<unknown>) {
  const ask = async (from: string, path = '/xmlrpc.php') => {
    const options = ['--interface', from, '--header', 'content-type: text/xml', '--data', CALL]
    const where = { resolve: world.host.address, options }
    return get(world.host, `http://${world.site.domain}${path}`, where)
  }
  const change = (verb: 'add' | 'del') =>
    Promise.all(
      [ALLOWED, OTHER].map((address) =>
        world.host.must(['ip', 'address', verb, `${address}/32`, 'dev', 'lo']),
      ),
    )

  test('lets only the addresses of Jetpack call xmlrpc.php', async () => {
    await change('add')
    await configure({ xmlrpc: 'jetpack' })
    expect(await poll(async () => (await ask(OTHER)).status === 403)).toBe(true)
    const allowed = await ask(ALLOWED)
    expect([allowed.status, allowed.body]).toEqual([200, expect.stringContaining('Hello!')])
    expect((await ask(OTHER)).body).not.toContain('methodResponse')
    const named = ['--header', `X-Forwarded-For: ${ALLOWED}`]
    const url = `http://${world.site.domain}/xmlrpc.php`
    expect((await get(world.host, url, { options: [...named, '--data', CALL] })).status).toBe(403)
    expect((await ask(OTHER, '/wp-content/uploads/xmlrpc.php')).status).toBe(403)

    await configure({ xmlrpc: 'on' })
    expect(await poll(async () => (await ask(OTHER)).status === 200)).toBe(true)
    await change('del')
  })
}
