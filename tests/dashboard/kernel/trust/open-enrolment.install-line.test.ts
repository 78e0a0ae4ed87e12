import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installLine } from '#dashboard/kernel/trust/open-enrolment.ts'

const build = { machine: 'linux-x64', path: '/x', sha256: 'ab'.repeat(32) }
const parts = {
  public_url: 'https://control.example.com',
  user: 'root',
  server_id: 7,
  port: 8443,
  hub_key: 'ed25519:k:key',
}

test('installs, checks its digest, and enrols without the code', () => {
  expect(installLine(build, parts).split(' && ')).toEqual([
    '{ command -v curl > /dev/null || { echo "curl is missing: install it with apt-get install curl" >&2; false; }; }',
    'cd "$(mktemp -d)"',
    'curl -fsSL https://control.example.com/agent/linux-x64.gz -o hosting-agent.gz',
    'gunzip hosting-agent.gz',
    `echo '${'ab'.repeat(32)}  hosting-agent' | sha256sum -c --quiet`,
    'install -m 755 hosting-agent /usr/local/bin/hosting-agent.new',
    'mv /usr/local/bin/hosting-agent.new /usr/local/bin/hosting-agent',
    'rm hosting-agent',
    '/usr/local/bin/hosting-agent install --port 8443',
    '/usr/local/bin/hosting-agent enrol --server 7 --hub-key ed25519:k:key',
  ])
})

test.each([
  ['there is no curl', 'curl is missing: install it with apt-get install curl\n', []],
  ['the download fails', 'curl: (22) 503\n', ['echo "curl: (22) 503" >&2; exit 22']],
])('stops with the reason when %s', async (_, said, curl) => {
  const programs = await mkdtemp(join(tmpdir(), 'line-'))
  for (const script of curl)
    await writeFile(join(programs, 'curl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  for (const name of ['mktemp', 'gunzip', 'sha256sum', 'install', 'mv', 'rm'])
    await symlink(Bun.which(name) ?? name, join(programs, name))

  const line = spawnSync('/bin/bash', ['-c', installLine(build, parts)], {
    env: { PATH: programs },
    encoding: 'utf8',
  })
  await rm(programs, { recursive: true })

  expect([line.status === 0, line.stderr]).toEqual([false, said])
})

test('requires root when another user logs in', () => {
  const line = installLine(build, { ...parts, user: 'ops' })

  expect(line.match(/sudo /g)).toHaveLength(4)
})

test.each([
  'https://a;reboot',
  'https://a$(id)',
  'https://a b',
  "https://a'",
  'ftp://a',
  'https://a/`id`',
])('returns no command for the address %j', (public_url) => {
  expect(() => installLine(build, { ...parts, public_url })).toThrow('Set PUBLIC_URL')
})
