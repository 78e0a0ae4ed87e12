import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { commands } from '#agent/commands.ts'
import { writeVerdict } from '#agent/features/updates/upgrade/upgrade.ts'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { COMMANDS } from '#shared/commands.ts'
import {
  machine,
  newer,
  PROGRAM,
  params,
  publisher,
  sha256,
  signed,
  url,
} from '#tests/support/agent/upgrading.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { poll } from '#tests/support/lab/wait.ts'

const runnerOn = (host: FakeHost) => new Runner({ host, commands, report: () => undefined })

async function eventsOf(operation: Operation) {
  return Array.fromAsync(operation.follow(0, new AbortController().signal))
}
const started = async (host: FakeHost) =>
  (await eventsOf(await runnerOn(host).start('agent.upgrade', params, 'op1'))).at(-1)

test('a unit of its own runs the switch with the current program', async () => {
  const host = machine()

  await started(host)

  expect(host.ran).toEqual([
    'systemctl show --property=Names,ExecStart -- hosting-agent.service',
    `chmod 755 ${PROGRAM}.new`,
    `${PROGRAM}.new version`,
    `ln --force ${PROGRAM} ${PROGRAM}.previous`,
    [
      'systemd-run --quiet --collect --unit=hosting-upgrade',
      '--property=EnvironmentFile=-/etc/hosting-agent/agent.env',
      '--property=MemoryMax=512M --property=TasksMax=128',
      '--setenv=AGENT_STATE_DIR=/var/lib/hosting-agent -- env',
      `${PROGRAM}.previous switch --program ${PROGRAM} --sha256 ${sha256}`,
    ].join(' '),
  ])
})

test.each([
  [
    'another digest',
    (host: FakeHost) => {
      host.net.download = async () => '0'.repeat(64)
    },
  ],
  [
    'a program that does not run here',
    (host: FakeHost) => host.fail(`${PROGRAM}.new version`, 'Exec format error'),
  ],
])('starts nothing and leaves no files for %s', async (_, spoil) => {
  const host = machine()
  spoil(host)

  expect(await started(host)).toMatchObject({ event: 'error' })

  expect(host.ran.filter((ran) => ran.startsWith('systemd-run'))).toEqual([])
  expect(await host.files.read(`${PROGRAM}.new`)).toBeUndefined()
})

test('is refused where the agent is not a service', async () => {
  const host = machine()
  host.init = 'direct'

  const starting = runnerOn(host).start('agent.upgrade', params)

  await expect(starting).rejects.toThrow('The agent does not run as a service of systemd')
})

test.each([
  ['answers', { event: 'complete', data: { status: 'ok', version: '0.0.0' } }],
  ['back', { event: 'error', data: { error: 'Internal error' } }],
] as const)('a verdict that says %s ends it after the restart', async (verdict, end) => {
  const host = machine()
  const before = runnerOn(host)
  host.clock.sleep = () => new Promise(() => undefined)
  const cut = await before.start('agent.upgrade', params, 'op1')
  const lines = cut.follow(0, new AbortController().signal)
  for (let line = 0; line < 3; line++) await lines.next()

  await poll(() => host.ran.some((ran) => ran.startsWith('systemd-run')))
  await writeVerdict(host, sha256, verdict)
  const next = runnerOn(host)
  await next.recover()
  const after = await next.start('agent.upgrade', params, 'op1')

  const events = await eventsOf(after)
  expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5])
  expect(events.at(-1)).toMatchObject(end)
})

test.each([
  'file:///etc/passwd',
  'https://control.example/evil.gz',
  'https://control.example/agent/linux-x64.gz?x=1',
  'https://control.example/agent/../x.gz',
])('refuses a build from %s', (address) => {
  const given = COMMANDS['agent.upgrade'].params.safeParse({ url: address, sha256 })

  expect(given.success).toBe(false)
})

const stranger = generateKeyPairSync('ed25519')
const asking = (host: FakeHost, more: object) =>
  runnerOn(host).start('agent.upgrade', { url, sha256, ...more })

test.each<[string, object, string]>([
  ['no signature', {}, 'The build is not signed'],
  ['a manifest without a signature', { manifest: params.manifest }, 'The build is not signed'],
  [
    'another key',
    signed(newer, stranger.privateKey),
    'not signed by a key that this server trusts',
  ],
  [
    'a manifest that was changed',
    { ...signed(newer), manifest: `${params.manifest} ` },
    'not signed by a key that this server trusts',
  ],
  [
    'the same text, signed for something else',
    {
      manifest: params.manifest,
      signature: sign(null, Buffer.from(params.manifest), publisher.privateKey).toString(
        'base64url',
      ),
    },
    'not signed by a key that this server trusts',
  ],
  ['a manifest of something else', signed('{}'), 'is not one of this agent'],
  ['what is no manifest', signed('x'), 'is not one of this agent'],
  ['a further field', signed({ ...newer, more: 1 }), 'is not one of this agent'],
  ['another executable', signed({ ...newer, sha256: 'f'.repeat(64) }), 'that of another build'],
  [
    'another machine',
    signed({ ...newer, machine: 'linux-mips' }),
    `The build is for linux-mips, and this server is ${newer.machine}`,
  ],
  [
    'an older build of the same version',
    signed({ ...newer, version: '0.0.0', build: 4 }),
    'The build is older than the agent: 0.0.0 (4), and 0.0.0 (5) runs',
  ],
])('refuses a build with %s', async (_, more, message) => {
  const host = machine()

  await expect(asking(host, more)).rejects.toThrow(message)

  expect(host.fetched).toEqual([])
})

test('refuses a build that is older than the running one', async () => {
  const host = machine()
  host.settings.version = '0.10.0'

  const given = signed({ ...newer, version: '0.9.9', build: 99 })

  await expect(asking(host, given)).rejects.toThrow('The build is older than the agent')
})

test('accepts the build that is already running', async () => {
  const host = machine()
  const operation = await asking(host, signed({ ...newer, version: '0.0.0', build: 5 }))

  const lines = operation.follow(0, new AbortController().signal)

  expect((await lines.next()).value).toMatchObject({ event: 'log' })
})

describe('further keys of the operator', () => {
  const KEYS = '/etc/hosting-agent/release-keys'
  const own = rawKeyOf(stranger.publicKey)
  const given = signed(newer, stranger.privateKey)

  test('are accepted as well', async () => {
    const host = machine()
    await host.files.write(KEYS, `# ours\n\n${own}\n`)

    const operation = await asking(host, given)

    expect(operation.id).not.toBe('')
  })

  test.each<[string, string, number, string]>([
    ['that others can write', `${own}\n`, 0o666, 'can be written by others than root'],
    ['with a line that is no key', `${own}\nx\n`, 0o644, 'has a line that is not a key'],
    ['without end', `${own}\n`.repeat(17), 0o644, 'has more than 16 keys'],
  ])('in a file %s stop every upgrade', async (_, text, mode, message) => {
    const host = machine()
    await host.files.write(KEYS, text, { mode })

    await expect(asking(host, signed(newer))).rejects.toThrow(`${KEYS} on this server ${message}`)
  })
})

test('an agent that was built without a publisher refuses every build', async () => {
  const host = machine()
  host.settings.publisher_key = undefined

  await expect(asking(host, signed(newer))).rejects.toThrow('not signed by a key')
})
