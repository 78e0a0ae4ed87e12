import { expect, test } from 'bun:test'
import { readConfig } from '#agent/kernel/config.ts'

test('has defaults', () => {
  const { address, port, state_dir, auth } = readConfig({})

  expect({ address, port, state_dir, auth }).toEqual({
    address: '127.0.0.1',
    port: 8443,
    state_dir: '/var/lib/hosting-agent',
    auth: 'signed',
  })
})

test.each([
  [{ AGENT_LISTEN: '8443' }, 'AGENT_LISTEN must be <address>:<port>'],
  [{ AGENT_LISTEN: '127.0.0.1:65536' }, 'AGENT_LISTEN must have a port up to 65535'],
  [{ AGENT_LISTEN: '127.0.0.1:http' }, 'AGENT_LISTEN must be'],
  [{ AGENT_LISTEN: '999.0.0.1:8443' }, 'AGENT_LISTEN'],
  [{ AGENT_LISTEN: '127.0.0.1:1\n127.0.0.1:2' }, 'AGENT_LISTEN must be'],
  [{ AGENT_AUTH: 'NONE' }, 'AGENT_AUTH must be signed or none'],
  [{ AGENT_STATE_DIR: 'state' }, 'AGENT_STATE_DIR must be an absolute path'],
  [{ AGENT_AUTH: 'off' }, 'AGENT_AUTH must be signed or none'],
  [
    { AGENT_AUTH: 'none', AGENT_LISTEN: '0.0.0.0:8443' },
    'AGENT_AUTH=none is allowed on a loopback address only',
  ],
  [
    { AGENT_AUTH: 'none-for-tests', AGENT_LISTEN: '0.0.0.0:8443' },
    'AGENT_AUTH=none is allowed on a loopback address only',
  ],
  [
    { AGENT_AUTH: 'none', AGENT_LISTEN: '[::]:8443' },
    'AGENT_AUTH=none is allowed on a loopback address only',
  ],
  [
    { AGENT_RESTIC_URL: 'https://mirror.example/restic' },
    'AGENT_RESTIC_URL and AGENT_RESTIC_SHA256 must be set together',
  ],
  [{ AGENT_RESTIC_SHA256: 'abc' }, 'AGENT_RESTIC_SHA256 must be 64 hexadecimal digits'],
  ...['dns-hook', '/etc/../hook', '/etc/dns hook', '/etc/A=1', '/etc/hook;', '/etc//hook', '/'].map(
    (AGENT_DNS_HOOK): [Record<string, string>, string] => [
      { AGENT_DNS_HOOK },
      'AGENT_DNS_HOOK must be an absolute path of a-z A-Z 0-9 . _ - /',
    ],
  ),
  [
    { AGENT_CLOUDFLARE_API: 'http://api.example/client/v4' },
    'AGENT_CLOUDFLARE_API must be an https: address, or http: on 127.0.0.1',
  ],
  [{ AGENT_WP_CLI_SHA512: 'abc' }, 'AGENT_WP_CLI_SHA512 must be 128 hexadecimal digits'],
  [
    { AGENT_WORDPRESS_URL: 'http://mirror.example' },
    'AGENT_WORDPRESS_URL must be https: or file:, or AGENT_WORDPRESS_SHA256 must be set',
  ],
  [
    { AGENT_WORDPRESS_CHECKSUMS_URL: 'http://mirror.example' },
    'AGENT_WORDPRESS_CHECKSUMS_URL must be https: or file:',
  ],
  [
    { AGENT_WORDPRESS_URL: 'ftp://x' },
    'AGENT_WORDPRESS_URL must be an http:, https: or file: address',
  ],
])('refuses %p in one line', (env, message) => {
  expect(() => readConfig(env)).toThrow(message)
})

test.each(['127.0.0.1:1', '127.9.9.9:1', '[::1]:1', 'localhost:1'])(
  'AGENT_AUTH=none is allowed on %s',
  (listen) => {
    expect(readConfig({ AGENT_AUTH: 'none', AGENT_LISTEN: listen }).auth).toBe('none')
    const tests = { AGENT_AUTH: 'none-for-tests', AGENT_LISTEN: listen }
    expect(readConfig(tests).auth).toBe('none-for-tests')
  },
)

test('takes restic from Debian unless another one is set', () => {
  const { settings } = readConfig({})
  expect(settings.restic_urls.map((url) => new URL(url).host)).toEqual([
    'deb.debian.org',
    'snapshot.debian.org',
  ])

  const sha256 = 'a'.repeat(64)
  const own = { AGENT_RESTIC_URL: 'https://a.example/restic', AGENT_RESTIC_SHA256: sha256 }
  expect(readConfig(own).settings).toMatchObject({
    restic_urls: ['https://a.example/restic'],
    restic_sha256: sha256,
  })
})
