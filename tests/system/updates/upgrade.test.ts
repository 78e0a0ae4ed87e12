// tier: gate, interrupts
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { developmentPublisher, newReleaseKey } from '#scripts/lib/release.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { PROGRAM, startUpgrading, type Upgrading } from '#tests/support/system/upgrading.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const UNIT = '/etc/systemd/system/hosting-agent.service'
/** The version that each of these reports; they do nothing else correctly. */
const BROKEN = {
  'ends at once': `
import { appendFileSync } from 'node:fs'
if (process.argv[2] === 'version') console.log('6.6.6')
else {
  if (process.argv[2] === 'units') appendFileSync('${UNIT}', 'ExecStartPre=/bin/false\\n')
  process.exit(1)
}
`,
  'hangs, and heeds no signal': `
if (process.argv[2] === 'version') console.log('6.6.6')
else {
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1000)
}
`,
}
const NO_PROGRAM = '#!/bin/sh\nexit 1\n'

/** A build executes nothing but itself, so it is no script. */
async function compiled(source: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'broken-'))
  await Bun.write(join(folder, 'main.ts'), source)
  const file = join(folder, 'main')
  await must([process.execPath, 'build', '--compile', `--outfile=${file}`, join(folder, 'main.ts')])
  const bytes = await Bun.file(file).bytes()
  await rm(folder, { recursive: true })
  return bytes
}

/** The present sources under another version and another protocol: every later upgrade starts from it. */
async function buildOf(version: string, folder: string): Promise<string> {
  for (const name of ['agent', 'shared', 'package.json', 'bun.lock', 'tsconfig.json'])
    await cp(name, join(folder, name), { recursive: true })
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  await Bun.write(join(folder, 'shared/kernel/protocol.ts'), 'export const PROTOCOL = 1000\n')
  const manifest = join(folder, 'package.json')
  await Bun.write(manifest, JSON.stringify({ ...(await Bun.file(manifest).json()), version }))
  return (await buildAgent(folder, { publisher: await developmentPublisher('.') })).file
}

unless(lab.available()).describe('upgrading an agent', () => {
  let upgrading: Upgrading
  /** The executable of the first upgrade. */
  let newest = new Uint8Array()

  beforeAll(async () => {
    upgrading = await startUpgrading('upgraded')
    await upgrading.offer(await Bun.file((await buildAgent('.')).file).bytes())
    await upgrading.install()
  }, 10 * MINUTES)
  afterAll(() => upgrading?.stop(), 5 * MINUTES)

  test(
    'a newer build replaces the old one, which is kept',
    async () => {
      const { host, offer, upgrade, sync, version } = upgrading
      const before = await version()
      await host.must(['sed', '-i', '/^Delegate=/d', UNIT])
      const sources = await mkdtemp(join(tmpdir(), 'newer-'))
      newest = await Bun.file(await buildOf('9.9.9', sources)).bytes()
      await offer(newest)
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
    5 * MINUTES,
  )

  test.each(Object.entries(BROKEN))(
    'a rollback restores the old one when the new one %s',
    async (_, source) => {
      const { host, offer, upgrade, sync, version } = upgrading
      const units = await host.must(['cat', UNIT])
      await offer(await compiled(source), { version: '9.9.10' })

      expect(await upgrade()).toMatchObject({
        event: 'error',
        data: { message: 'The new version did not answer; the previous one was restored' },
      })

      expect(await version()).toBe('9.9.9')
      expect(await host.must(['cat', UNIT])).toBe(units)
      expect(await sync()).toBe('complete')
    },
    5 * MINUTES,
  )

  test(
    'a build that the publisher has not signed, or an older one, is not even downloaded',
    async () => {
      const { host, offer, sync, refused, folder } = upgrading
      const before = await host.must(['sha256sum', PROGRAM])
      const key = join(folder, 'stranger')
      await newReleaseKey(key)

      await offer(newest, { version: '9.9.11', key })
      const stranger = await refused()
      await offer(newest, { version: '9.9.8' })
      const older = await refused()
      await rm(join(folder, 'hosting-agent.manifest.json.sig'))
      const unsigned = await refused()

      expect([stranger, older, unsigned]).toEqual([
        [
          403,
          'The build is not signed by a key that this server trusts: as root on the server, add the public release key of this dashboard to /etc/hosting-agent/release-keys',
        ],
        [409, 'The build is older than the agent: 9.9.8 (0), and 9.9.9 (0) runs'],
        [403, 'The build is not signed: sign it with scripts/sign-build.ts'],
      ])
      expect(await host.must(['sha256sum', PROGRAM])).toBe(before)
      expect(await sync()).toBe('complete')
    },
    5 * MINUTES,
  )

  test(
    'a build that a key of the operator has signed is taken',
    async () => {
      const { host, offer, upgrade, folder } = upgrading
      const key = join(folder, 'operator')
      const keys = '/etc/hosting-agent/release-keys'
      await host.put(keys, `# ours\n${await newReleaseKey(key)}\n`)
      await offer(newest, { key })

      expect(await upgrade()).toMatchObject({ event: 'complete', data: { version: '9.9.9' } })

      await host.must(['rm', keys])
    },
    5 * MINUTES,
  )

  test(
    'a build for another machine is never started',
    async () => {
      const { host, offer, upgrade } = upgrading
      const running = await host.must([
        'systemctl',
        'show',
        '--value',
        '-pMainPID',
        'hosting-agent',
      ])
      await offer(NO_PROGRAM, { version: '9.9.10' })

      expect(await upgrade()).toMatchObject({ event: 'error' })

      expect(await host.must(['systemctl', 'show', '--value', '-pMainPID', 'hosting-agent'])).toBe(
        running,
      )
      expect((await host.must(['ls', '/usr/local/bin'])).trim().split('\n')).toEqual([
        'hosting-agent',
        'hosting-agent.previous',
      ])
    },
    5 * MINUTES,
  )
})
