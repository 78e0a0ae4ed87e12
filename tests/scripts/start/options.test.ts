import { expect, test } from 'bun:test'
import { readOptions } from '#scripts/start/options.ts'

const site = (...args: string[]) => readOptions(args, {}, '/srv')?.site

test('uses the defaults of both programs', () => {
  expect(readOptions([], {}, '/srv')).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    agent_port: 8443,
    data_dir: '/srv/data',
    admin: undefined,
    site: undefined,
  })
})

test('uses the same variables as the dashboard, and treats an empty one as unset', () => {
  const env = { PORT: '4000', DATA_DIR: '/d', HOST: '', ADMIN_EMAIL: 'a@b.example' }

  expect(readOptions([], { ...env, ADMIN_PASSWORD: 'secret' }, '/srv')).toMatchObject({
    host: '127.0.0.1',
    port: 4000,
    data_dir: '/d',
    admin: { email: 'a@b.example', password: 'secret' },
  })
  expect(readOptions([], env, '/srv')?.admin).toBeUndefined()
})

test.each([
  ['shop.example.test', 'none'],
  ['example.com', 'none'],
  ['shop.localhost', 'none'],
  ['nas.home.arpa', 'none'],
  ['shop.com', 'letsencrypt'],
  ['latest.com', 'letsencrypt'],
] as const)('%s gets a certificate by %s', (domain, tls) => {
  expect(site('--site', domain)).toEqual({ domain, tls })
})

test('uses the requested certificate', () => {
  expect(site('--site', 'Example.TEST', '--tls', 'self-signed')).toEqual({
    domain: 'example.test',
    tls: 'self-signed',
  })
})

test.each([
  [['--site', 'shop'], {}, '--site must be a domain name such as example.test'],
  [['--site', 'a.test', '--tls', 'some'], {}, '--tls must be none, self-signed or letsencrypt'],
  [['--tls', 'none'], {}, '--tls needs --site <domain>'],
  [[], { PORT: '1e3' }, 'PORT must be a port number between 1 and 65535'],
  [[], { AGENT_PORT: '65536' }, 'AGENT_PORT must be a port number between 1 and 65535'],
])('refuses %j with %j in one line', (args, env, message) => {
  expect(() => readOptions(args, env, '/srv')).toThrow(message)
})

test('prints its usage on request', () => {
  expect(readOptions(['--help'], {}, '/srv')).toBeUndefined()
})
