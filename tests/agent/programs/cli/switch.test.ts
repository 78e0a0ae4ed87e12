import { expect, test } from 'bun:test'
import { findVerdict } from '#agent/features/updates/upgrade/upgrade.ts'
import { readConfig } from '#agent/kernel/config.ts'
import { switchOver } from '#agent/programs/cli/switch.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const PROGRAM = '/usr/local/bin/hosting-agent'
const UNIT = '/etc/systemd/system/hosting-agent.service'
const sha256 = 'a'.repeat(64)

async function switched(host: FakeHost, port: number): Promise<string> {
  await host.files.write(`${PROGRAM}.new`, 'new')
  await host.files.write(PROGRAM, 'old')
  const config = readConfig({ AGENT_AUTH: 'none', AGENT_LISTEN: `127.0.0.1:${port}` })
  return switchOver(config, host, ['--program', PROGRAM, '--sha256', sha256])
}

test('keeps a new program that answers', async () => {
  const host = fakeHost()
  using agent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('{}') })

  expect(await switched(host, agent.port ?? 0)).toBe('switched: the new version answers')

  expect(await host.files.read(PROGRAM)).toBe('new')
  expect(host.ran).toEqual([
    `${PROGRAM} units`,
    'systemctl daemon-reload',
    'systemctl restart hosting-agent*.service',
  ])
  expect(await findVerdict(host, sha256)).toBe('answers')
})

test.each([
  ['does not answer', () => Promise.reject(new Error('no'))],
  ['answers with an error', () => new Response('', { status: 503 })],
])('rolls back to the previous program when the new one %s', async (_, fetch) => {
  const host = fakeHost()
  using agent = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch,
    error: () => new Response('', { status: 500 }),
  })
  await host.files.write(`${PROGRAM}.back`, 'old')
  await host.files.write(UNIT, 'old unit')
  const attempt = host.shell.try
  host.shell.try = async (argv, options) => {
    if (argv[1] === 'units') await host.files.write(UNIT, 'new unit')
    return attempt(argv, options)
  }

  expect(await switched(host, agent.port ?? 0)).toBe('rolled back: the new version did not answer')

  expect(await host.files.read(PROGRAM)).toBe('old')
  expect(await host.files.read(UNIT)).toBe('old unit')
  expect(host.ran).toEqual([
    `${PROGRAM} units`,
    'systemctl daemon-reload',
    'systemctl restart hosting-agent*.service',
    `cp --preserve=mode -- ${PROGRAM}.previous ${PROGRAM}.back`,
    'systemctl daemon-reload',
    'systemctl kill --signal=SIGKILL hosting-agent*.service',
    'systemctl restart hosting-agent*.service',
  ])
  expect(await findVerdict(host, sha256)).toBe('back')
})
