import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { type Dashboard, startDashboard } from '#tests/support/system/dashboard.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const PROGRAM = '/usr/local/bin/hosting-agent'
const UNIT = '/etc/systemd/system/hosting-agent.service'
/** The version that each of these says it is; it is all that they do well. */
const BROKEN = {
  'ends at once': `#!/bin/sh
[ "$1" = version ] && exec echo 6.6.6
[ "$1" = units ] && echo "ExecStartPre=/bin/false" >> ${UNIT}
exit 1
`,
  'hangs, and heeds no signal':
    '#!/bin/sh\n[ "$1" = version ] && exec echo 6.6.6\ntrap "" TERM\nwhile :; do sleep 1; done\n',
}
const NO_PROGRAM = '#!/bin/sh\nexit 1\n'

/** The present sources under another version. */
async function buildOf(version: string, folder: string): Promise<string> {
  for (const name of ['agent', 'shared', 'package.json', 'bun.lock', 'tsconfig.json'])
    await cp(name, join(folder, name), { recursive: true })
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  const manifest = join(folder, 'package.json')
  await Bun.write(manifest, JSON.stringify({ ...(await Bun.file(manifest).json()), version }))
  return (await buildAgent(folder)).file
}

unless(lab.available()).describe('upgrading an agent', () => {
  let folder = ''
  let host: lab.Host
  let dashboard: Dashboard
  let server = 0

  /** What the dashboard gives away from now on. */
  async function offer(program: string | Uint8Array): Promise<void> {
    const draft = join(folder, 'draft')
    await Bun.write(draft, program)
    await rename(draft, join(folder, 'hosting-agent'))
  }

  async function install(): Promise<void> {
    const { body } = await dashboard.call('POST', `/api/servers/${server}/enrolment`)
    const { code, lines } = body.enrolment as { code: string; lines: { line: string }[] }
    const args = /hosting-agent (enrol .*)$/.exec(lines[0]?.line ?? '')?.[1]?.split(' ') ?? []
    await host.put(PROGRAM, await Bun.file(join(folder, 'hosting-agent')).bytes(), 0o755)
    await host.must([PROGRAM, 'install'])
    await host.must([PROGRAM, ...args], { input: `${code}\n`, timeout_ms: MINUTES })
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'builds-'))
    await offer(await Bun.file((await buildAgent('.')).file).bytes())
    const { netns, address } = await lab.switchUp()
    host = await lab.startHost({ name: 'upgraded', suite: 'bookworm', init: 'systemd' })
    dashboard = await startDashboard(netns, {
      address,
      env: { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow', BUILDS_DIR: folder },
    })
    const added = await dashboard.call('POST', '/api/servers', { hostname: host.address })
    server = (added.body.server as { id: number }).id
    await install()
  }, 5 * MINUTES)

  afterAll(async () => {
    await dashboard?.stop()
    await lab.switchDown()
    await rm(folder, { recursive: true, force: true })
  }, MINUTES)

  const upgrade = async () =>
    (await dashboard.stream('POST', `/api/servers/${server}/upgrade`)).at(-1)
  const version = async () => (await host.must([PROGRAM, 'version'])).trim()
  const sync = async () =>
    (await dashboard.stream('POST', `/api/servers/${server}/sync`)).at(-1)?.event

  test(
    'a newer build takes the place of the old one, which stays at hand',
    async () => {
      const before = await version()
      await host.must(['sed', '-i', '/^Delegate=/d', UNIT])
      const sources = await mkdtemp(join(tmpdir(), 'newer-'))
      await offer(await Bun.file(await buildOf('9.9.9', sources)).bytes())
      await rm(sources, { recursive: true, force: true })

      expect(await upgrade()).toMatchObject({
        event: 'complete',
        data: { status: 'ok', version: '9.9.9' },
      })

      expect(await version()).toBe('9.9.9')
      expect((await host.must([`${PROGRAM}.previous`, 'version'])).trim()).toBe(before)
      expect(await host.must(['systemctl', 'show', '--value', '-pDelegate', 'hosting-agent'])).toBe(
        'yes\n',
      )
      expect(await sync()).toBe('complete')
    },
    3 * MINUTES,
  )

  test.each(Object.entries(BROKEN))(
    'the old one comes back by itself when the new one %s',
    async (_, program) => {
      const units = await host.must(['cat', UNIT])
      await offer(program)

      expect(await upgrade()).toMatchObject({
        event: 'error',
        data: { message: 'The new version did not answer; the previous one is back' },
      })

      expect(await version()).toBe('9.9.9')
      expect(await host.must(['cat', UNIT])).toBe(units)
      expect(await sync()).toBe('complete')
    },
    3 * MINUTES,
  )

  test(
    'what does not run on the machine is never started in its place',
    async () => {
      const running = await host.must([
        'systemctl',
        'show',
        '--value',
        '-pMainPID',
        'hosting-agent',
      ])
      await offer(NO_PROGRAM)

      expect(await upgrade()).toMatchObject({ event: 'error' })

      expect(await host.must(['systemctl', 'show', '--value', '-pMainPID', 'hosting-agent'])).toBe(
        running,
      )
      expect((await host.must(['ls', '/usr/local/bin'])).trim().split('\n')).toEqual([
        'hosting-agent',
        'hosting-agent.previous',
      ])
    },
    MINUTES,
  )
})
