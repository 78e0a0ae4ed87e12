// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { buildAgent } from '#scripts/build-agent.ts'
import { gzipBeside } from '#scripts/lib/gzip-beside.ts'
import * as lab from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { type Dashboard, startDashboard } from '#tests/support/system/dashboard.ts'
import { MINUTES } from '#tests/support/system/world.ts'

setDefaultTimeout(9 * MINUTES)

/** How many steps of the line are done. Those before the first one leave nothing but a folder of their own. */
const CUTS = [5, 6, 7, 9]

interface Enrolment {
  code: string
  lines: { machine: string; line: string }[]
}

unless(lab.available()).describe('adding a server', () => {
  let host: lab.Host
  let dashboard: Dashboard
  let server = 0

  beforeAll(async () => {
    // As an installed dashboard has it: compressed once.
    await gzipBeside((await buildAgent('.')).file)
    const { netns, address } = await lab.switchUp()
    host = await lab.startHost({ name: 'added', suite: 'bookworm', init: 'systemd' })
    await host.must(['apt-get', 'update', '-q'])
    await host.must(['apt-get', 'install', '-y', '-q', 'curl'])
    dashboard = await startDashboard(netns, {
      address,
      env: { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow' },
    })
    const added = await dashboard.call('POST', '/api/servers', { hostname: host.address })
    server = (added.body.server as { id: number }).id
  }, 10 * MINUTES)

  afterAll(async () => {
    await dashboard?.stop()
    await lab.switchDown()
  }, 10 * MINUTES)

  const enrolment = async (): Promise<Enrolment> => {
    const { body } = await dashboard.call('POST', `/api/servers/${server}/enrolment`)
    return body.enrolment as Enrolment
  }
  const status = async () => {
    const { body } = await dashboard.call('GET', `/api/fleet/servers/${server}`)
    return (body.server as { status: string }).status
  }
  const paste = ({ lines, code }: Enrolment) => {
    const line = lines.find(({ machine }) => machine === 'linux-x64')?.line ?? ''
    return host.exec(['bash', '-c', line], { input: `${code}\n`, timeout_ms: 3 * MINUTES })
  }

  test('the install command makes a server online, and the code is in no argument', async () => {
    const given = await enrolment()
    expect(given.lines[0]?.line).not.toContain(given.code)

    const { code, stdout, stderr } = await paste(given)

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toEndWith('enrolled: the dashboard and this agent trust each other\n')
    await lab.poll(async () => (await status()) === 'online')
  })

  test('the agent refuses everybody else: every call without a signature is 401', async () => {
    const ask = (path: string) =>
      host.must([
        'curl',
        '-sk',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        `https://127.0.0.1:8443${path}`,
      ])

    expect(await ask('/metrics')).toBe('401')
    expect(await ask('/health')).toBe('200')
  })

  test('a used code is invalid, and the same command with a new one works', async () => {
    const used = await enrolment()
    expect((await paste(used)).code).toBe(0)

    for (const state of ['trusts the dashboard', 'trusts nobody']) {
      if (state === 'trusts nobody') await host.must(['hosting-agent', 'uninstall'])
      const wrong = await paste({ ...(await enrolment()), code: used.code })

      expect([state, wrong.code]).toEqual([state, 1])
      expect(wrong.stderr).toContain('the code is wrong or was used')
      expect([state, (await paste(await enrolment())).code]).toEqual([state, 0])
    }
  })

  test('an interrupted install command can be repeated', async () => {
    const cut = async (seconds: string) => {
      await host.exec(['hosting-agent', 'uninstall'])
      const { lines, code } = await enrolment()
      const argv = ['timeout', '--signal=KILL', seconds, 'bash', '-c', lines[0]?.line ?? '']
      await host.exec(argv, { input: `${code}\n` })
    }
    const { lines } = await enrolment()
    const steps = (lines[0]?.line ?? '').split(' && ')
    expect(steps).toHaveLength(10)
    for (const done of long ? steps.keys().drop(1) : CUTS) {
      await host.exec(['hosting-agent', 'uninstall'])
      await host.exec(['bash', '-c', steps.slice(0, done).join(' && ')])
      expect([steps[done - 1], (await paste(await enrolment())).code]).toEqual([steps[done - 1], 0])
    }
    for (const seconds of ['0.5', '1.6']) {
      await cut(seconds)
      expect([seconds, (await paste(await enrolment())).code]).toEqual([seconds, 0])
    }

    await host.exec(['hosting-agent', 'uninstall'])
    const pasted = paste(await enrolment())
    await Bun.sleep(700)
    await host.partition(true)
    await Bun.sleep(1500)
    await host.partition(false)
    await pasted

    expect((await paste(await enrolment())).code).toBe(0)
    expect(await lab.poll(async () => (await status()) === 'online')).toBe(true)
  })

  test('accepts a new key of the dashboard in both halves', async () => {
    const known = async () => {
      const { body } = await dashboard.call('GET', '/api/keys')
      return (body.keys as { state: string; agents: number }[]).map((key) => [
        key.state,
        key.agents,
      ])
    }
    expect(await known()).toEqual([['current', 1]])

    await dashboard.call('POST', '/api/keys/rotate')

    const alone = async () => JSON.stringify(await known()) === '[["current",1]]'
    expect(await lab.poll(alone)).toBe(true)
    expect(await host.must(['hosting-agent', 'status'])).toMatch(/keys \S+, \S+ \(until \S+Z\)/)
  })

  test('restarts automatically after a power failure', async () => {
    await host.powerOff()
    await host.start()

    const sync = async () => {
      const events = await dashboard.stream('POST', `/api/servers/${server}/sync`).catch(() => [])
      return events.at(-1)?.event === 'complete'
    }
    expect(await lab.poll(sync, { every_ms: 200 })).toBe(true)
  })
})
