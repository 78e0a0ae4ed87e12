import { expect, test } from 'bun:test'
import { installLine } from '#dashboard/trust/install-line.ts'

const build = { machine: 'linux-x64', path: '/x', sha256: 'ab'.repeat(32) }
const parts = {
  public_url: 'https://control.example.com',
  user: 'root',
  server_id: 7,
  port: 8443,
  hub_key: 'ed25519:k:key',
}

test('installs, checks the digest that stands in it, and enrols without the code', () => {
  expect(installLine(build, parts).split(' && ')).toEqual([
    'cd "$(mktemp -d)"',
    'curl -fsSL https://control.example.com/agent/linux-x64.gz | gunzip > hosting-agent',
    `echo '${'ab'.repeat(32)}  hosting-agent' | sha256sum -c --quiet`,
    'install -m 755 hosting-agent /usr/local/bin/hosting-agent.new',
    'mv /usr/local/bin/hosting-agent.new /usr/local/bin/hosting-agent',
    'rm hosting-agent',
    '/usr/local/bin/hosting-agent install --port 8443',
    '/usr/local/bin/hosting-agent enrol --server 7 --hub-key ed25519:k:key',
  ])
})

test('asks for root where somebody else logs in', () => {
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
])('makes no line for the address %j', (public_url) => {
  expect(() => installLine(build, { ...parts, public_url })).toThrow('Set PUBLIC_URL')
})
