import { expect, test } from 'bun:test'
import { commands } from '#agent/commands/index.ts'
import type { Operation } from '#agent/operations/operation.ts'
import { Runner } from '#agent/operations/runner.ts'
import { writeVerdict } from '#agent/os/upgrade/upgrade.ts'
import { COMMANDS } from '#shared/commands.ts'
import { machine, PROGRAM, params, sha256 } from '#tests/support/agent/upgrading.ts'
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
    'systemctl show --property=ExecStart --value hosting-agent.service',
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
