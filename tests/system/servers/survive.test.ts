// tier: full, interrupts
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { isNumbered, type StoredEvent } from '#shared/kernel/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, installEnrolled } from '#tests/support/system/enrolled.ts'
import { arm, disarm, survivors } from '#tests/support/system/hostile.ts'
import { get } from '#tests/support/system/requests.ts'
import { snapshot } from '#tests/support/system/snapshot.ts'
import { unlimited } from '#tests/support/system/sweep/chain.ts'

const MINUTES = 60_000
const UNIT = 'hosting-agent.service'
const KILL = ['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', UNIT]
const RESTART = ['systemctl', 'restart', UNIT]
/** dpkg, before it does anything, until it may continue. */
const HELD = `pre-invoke="touch /run/held; while ! test -e /run/go; do sleep 0.1; done"\n`
const WAITING = 'The agent was restarted; waiting for the installation of packages to end'
/** As the user of the site within the agent's control group; as root in a unit of its own. */
const PROGRAMS = [
  { program: '/usr/bin/php8.2', only: '*' },
  { program: '/usr/sbin/nginx', only: '"-t -q"' },
]
/** Undoing a create calls it in any case. */
const UNDO = '/usr/sbin/userdel'

unless(lab.available()).describe('an agent that is cut off while programs run', () => {
  let world: Enrolled
  const figures: string[] = []
  beforeAll(async () => {
    world = await unlimited(await installEnrolled('bookworm'))
  }, 10 * MINUTES)
  afterAll(async () => {
    console.log(figures.join('\n'))
    await world?.stop()
  }, 10 * MINUTES)

  const fileOf = (id: string) =>
    `${world.host.root}/var/lib/hosting-agent/operations/${id}/events.ndjson`

  /** As the agent has them on its disk. */
  const eventsOf = (id: string): StoredEvent[] => {
    if (!existsSync(fileOf(id))) return []
    const lines = readFileSync(fileOf(id), 'utf8').split('\n')
    const events: StoredEvent[] = lines.slice(0, -1).map((line) => JSON.parse(line))
    return events.filter(isNumbered)
  }

  /** From the last start of the agent to the terminal event, in ms. */
  const recoveryOf = async (id: string) => {
    const property = ['--timestamp=us+utc', '--property=ExecMainStartTimestamp', '--value']
    const started = (await world.host.must(['systemctl', 'show', ...property, UNIT])).trim()
    const [, day, time] = started.split(' ')
    return Math.round(statSync(fileOf(id)).mtimeMs - Date.parse(`${day}T${time}Z`))
  }

  const operationOf = async (query: string) => {
    const { body } = await world.dashboard.call('GET', `/api/operations?${query}`)
    return (body.operations as { id: string }[])[0]?.id ?? ''
  }

  const endsOnce = (events: readonly StoredEvent[], end: 'complete' | 'error') => {
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
    const ends = events.filter(({ event }) => event !== 'log').map(({ event }) => event)
    expect(ends).toEqual([end])
    expect(events.at(-1)?.event).toBe(end)
  }

  const provision = () => world.dashboard.stream('POST', world.path('/provision'), {})

  const create = async (domain: string) => {
    const input = { domain, php: '8.2', tls: 'none' }
    const answer = await world.dashboard.call('POST', world.path('/sites'), input)
    expect(answer.status).toBe(201)
    await lab.poll(() => survivors(world.host).length === 3, { awaited: `${domain} hangs` })
    return answer
  }

  test('the first apt installs all packages of a new server', async () => {
    const { host, dashboard } = world
    const running = async () => (await host.exec(['pgrep', '-x', 'apt-get|dpkg'])).stdout
    const waits = (id: string, times: number) =>
      lab.poll(() => eventsOf(id).filter(({ data }) => data.message === WAITING).length === times, {
        timeout_ms: 3 * MINUTES,
      })
    await host.put('/etc/dpkg/dpkg.cfg.d/held', HELD)
    const provisioning = provision()
    const held = async () => (await host.exec(['test', '-e', '/run/held'])).code === 0
    expect(await lab.poll(held, { timeout_ms: 3 * MINUTES })).toBe(true)
    const id = await operationOf('active=true')
    const before = await running()
    await host.must(KILL)
    expect([await waits(id, 1), await running()]).toEqual([true, before])
    await host.must(RESTART)
    expect([await waits(id, 2), await running()]).toEqual([true, before])
    await host.must(['touch', '/run/go'])

    const events = await provisioning

    await host.must(['rm', '/etc/dpkg/dpkg.cfg.d/held'])
    const took = await recoveryOf(id)
    figures.push(`packages: end of the operation ${took} ms after the last start of the agent`)
    endsOnce(events, 'complete')
    expect(eventsOf(id).map(({ data }) => data.message)).toEqual(
      events.map(({ data }) => data.message),
    )
    const history = await host.must(['cat', '/var/log/apt/history.log'])
    expect(history.match(/^(Commandline: \S+|Error: .*)/gm)).toEqual(['Commandline: apt-get'])
    expect(await host.must(['dpkg', '--audit'])).toBe('')
    const again = (await provision()).map(({ event, data }) => [event, data.message])
    expect(again).toEqual([
      ['log', 'The server is ready for sites'],
      ['complete', undefined],
    ])
    const { body } = await dashboard.call('GET', `/api/operations/${id}`)
    expect(body.operation).toMatchObject({ status: 'success', error: null })
  })

  test.each(PROGRAMS)(
    'neither $program nor its children run when the undo starts',
    async ({ program, only }) => {
      const { host } = world
      const before = await snapshot(host)
      await arm(host, [program, UNDO], { forget: true, only })
      const created = await create(`${program.replace(/\W+/g, '')}.example.test`)
      const id = created.headers.get('operation-id') ?? ''
      await host.must(KILL)

      const end = await endOf(world.dashboard, created)

      const took = await recoveryOf(id)
      figures.push(`${program}: all is undone ${took} ms after the start of the agent`)
      expect(end.data).toEqual({
        error: 'Internal error',
        message: 'The agent was restarted in the middle of the operation',
      })
      endsOnce(eventsOf(id), 'error')
      expect(survivors(host)).toEqual([])
      const seen = await disarm(host, [program, UNDO])
      expect(seen.filter((count) => count !== '0')).toEqual([])
      expect(seen.length).toBeGreaterThan(0)
      expect(await snapshot(host)).toEqual(before)
    },
  )

  test('a forced cancel of a creation leaves the server unchanged, and the site can be created again', async () => {
    const { host, dashboard } = world
    const domain = 'cancelled.example.test'
    const before = await snapshot(host)
    await arm(host, ['/usr/bin/php8.2'], { forget: true })
    const created = await create(domain)
    const operation = `/api/operations/${created.headers.get('operation-id')}`
    const site = async () =>
      (await dashboard.call('GET', `/api/fleet/sites/${(created.body.site as { id: number }).id}`))
        .body.site

    const asked = await dashboard.call('POST', `${operation}/cancel`, { force: true })

    const message = 'The operation was cancelled'
    expect(asked.status).toBe(202)
    expect((await endOf(dashboard, created)).data).toEqual({ error: 'Conflict', message })
    expect((await dashboard.call('GET', operation)).body.operation).toMatchObject({
      status: 'cancelled',
      error: { error: 'Conflict', message },
    })
    expect(await site()).toMatchObject({
      status: 'cancelled',
      status_reason: 'Its creation was cancelled',
    })
    expect(survivors(host)).toEqual([])
    await disarm(host, ['/usr/bin/php8.2'])
    expect(await snapshot(host)).toEqual(before)

    const again = await dashboard.call('POST', `${operation}/retry`)

    expect(again.status).toBe(202)
    expect((await endOf(dashboard, again)).event).toBe('complete')
    expect(await site()).toMatchObject({ status: 'active' })
    const page = await get(host, `http://${domain}/`)
    expect([page.status, page.body.includes(`//${domain}/`)]).toEqual([200, true])
  })
})
