// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import type { Watched } from '#tests/support/system/existing/answers.ts'
import { type ExistingWorld, startExisting } from '#tests/support/system/existing/world.ts'
import { bash, build, prepare, putBase } from '#tests/support/system/layouts/build.ts'
import { type LayoutOnDisk, readLayouts } from '#tests/support/system/layouts/layout.ts'
import { MARKERS, NO_END, request, visitsOf } from '#tests/support/system/layouts/visit.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'

setDefaultTimeout(6 * MINUTES)

const UNITS = ['php8.2-fpm', 'nginx', 'mariadb', 'cron'].map((unit) => `${unit}.service`)
/** Its nginx uses the agent's port; no agent is installed there. */
const ON_THE_PORT = 'phpmyadmin-on-8443'
const AT_ONCE = 4
const PATHS = ['/', ...MARKERS]

/** All layouts that share one nginx, on a server that has no agent yet. */
async function prepareCorpus(host: Host): Promise<Watched> {
  const layouts = readLayouts().filter(
    ({ name, stage, alone, broken }) =>
      stage === 'nginx' && !alone && broken === undefined && name !== ON_THE_PORT,
  )
  await host.must(['mkdir', '-p', '/etc/caddy'])
  await prepare(host)
  await putBase(host)
  await build(host, layouts)
  await bash(host, [
    // The address of two layouts' containers: fails at once, without a timeout.
    'ip route add unreachable 172.18.0.0/16',
    'systemctl restart php8.2-fpm',
    'systemctl enable --now nginx mariadb',
  ])
  return { asked: [], units: UNITS, more: (asked) => answersOf(asked, layouts) }
}

/** The front page, a static file and a script of each name of each site. */
async function answersOf(host: Host, layouts: readonly LayoutOnDisk[]): Promise<string[]> {
  const visits = layouts.flatMap((layout) =>
    layout.sites.flatMap((site) =>
      site.names.flatMap((name) => visitsOf(layout, site, name, PATHS)),
    ),
  )
  const size = Math.ceil(visits.length / AT_ONCE)
  const parts = Array.from({ length: AT_ONCE }, (_, at) => visits.slice(at * size, (at + 1) * size))
  const answers = (await Promise.all(parts.map((part) => request(host, part)))).flat()
  // PHP-FPM may end an idle worker of an ondemand pool at the moment of a request, which then waits
  // for the next request to its pool.
  const late = answers.flatMap(({ status, body }, at) => (isLate(status, body) ? [at] : []))
  const again = await request(
    host,
    late.flatMap((at) => visits[at] ?? []),
  )
  for (const [n, at] of late.entries()) answers[at] = again[n] ?? { status: 0, body: '' }
  return visits.map(({ host: name, address, port, path }, at) => {
    const { status = 0, body = '' } = answers[at] ?? {}
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 16)
    return `${name} at ${address}:${port}${path}: ${status} ${status === 0 ? body : digest}`
  })
}

const isLate = (status: number, body: string) => status === 504 || (status === 0 && body === NO_END)

const PROGRAM = '/usr/local/bin/hosting-agent'
const KEPT = '/root/hosting-agent'
const SITES = Array.from({ length: 10 }, (_, at) => `new${at}.corpus.test`)
const [FIRST = '', SECOND = ''] = SITES
const LEFT = SITES.slice(2)

/** Whatever is done to the sites of this agent and to the agent, all others answer the same. */
unless(lab.available()).describe('a server with the sites of every layout', () => {
  let world: ExistingWorld

  beforeAll(async () => {
    world = await startExisting('bookworm', prepareCorpus)
  }, 10 * MINUTES)
  afterAll(() => world?.enrolled.stop(), MINUTES)

  const pathOf = async (domain: string) => {
    const { body } = await world.enrolled.dashboard.call('GET', `/api/fleet/sites?q=${domain}`)
    const [site] = body.sites as { id: number }[]
    return world.enrolled.path(`/sites/${site?.id ?? 0}`)
  }
  const ofSites = async (domains: readonly string[]) => {
    const pages = domains.map((domain) => get(world.host, `http://${domain}/`))
    return (await Promise.all(pages)).map(({ status }) => status)
  }

  test('answers for all of them before any change', () => {
    const { answers } = world.before
    expect(answers.length).toBeGreaterThan(200)
    expect(answers.filter((line) => line.includes(': 200 ')).length).toBeGreaterThan(100)
  })

  test('answers the same after enrolment', async () => {
    expect(await world.differences()).toEqual([])
  })

  test('answers the same after provisioning', async () => {
    expect(await world.provision()).toMatchObject({ event: 'complete' })

    expect(await world.differences()).toEqual([])
  })

  test.each(SITES)('answers the same, and with %s', async (domain) => {
    const user = domain.slice(0, 4)
    const created = await world.did('POST', world.enrolled.path('/sites'), {
      ...{ domain, user, tls: 'none' },
    })

    expect(created.data).toEqual({ status: 'ok', domain })
    expect(await ofSites([domain])).toEqual([200])
    expect(await world.differences()).toEqual([])
  })

  test('answers the same when a site is changed, deleted, restored and purged', async () => {
    const changes = [
      ['PATCH', '', { tier: 'medium' }],
      ['DELETE', ''],
      ['POST', '/restore'],
      ['DELETE', ''],
      ['POST', '/purge', { domain: FIRST }],
    ] as const
    const path = await pathOf(FIRST)
    for (const [method, below, body] of changes) {
      await world.did(method, `${path}${below}`, body)
      expect(await world.differences()).toEqual([])
    }
    await world.did('DELETE', await pathOf(SECOND))
    expect(await world.differences()).toEqual([])
  })

  test('answers the same when its agent is upgraded', async () => {
    const { dashboard, path } = world.enrolled
    const pid = await mainPid()

    expect((await dashboard.stream('POST', path('/upgrade'))).at(-1)).toMatchObject({
      event: 'complete',
    })

    expect(await mainPid()).not.toBe(pid)
    expect(await ofSites(LEFT)).toEqual(LEFT.map(() => 200))
    expect(await world.differences()).toEqual([])
  })

  const mainPid = () =>
    world.host.must(['systemctl', 'show', '--value', '-pMainPID', 'hosting-agent'])

  /** Installs the kept program where it is missing, and uninstalls it. */
  const uninstall = async (...options: string[]) => {
    const { host } = world
    await host.must(['bash', '-euc', `[ -e ${KEPT} ] || cp ${PROGRAM} ${KEPT}`])
    await host.must(['bash', '-euc', `[ -e ${PROGRAM} ] || cp ${KEPT} ${PROGRAM}`])
    await host.must([PROGRAM, 'install'])
    await host.must([PROGRAM, 'uninstall', ...options], { timeout_ms: 2 * MINUTES })
  }

  test.each([[[]], [['--purge']]])(
    'answers the same, with the created sites, when its agent is uninstalled with %j',
    async (options) => {
      await uninstall(...options)

      expect((await world.host.exec([PROGRAM, 'version'])).code).not.toBe(0)
      expect(await ofSites(LEFT)).toEqual(LEFT.map(() => 200))
      expect(await world.differences()).toEqual([])
    },
  )
})
