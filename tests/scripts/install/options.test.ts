import { expect, test } from 'bun:test'
import { readOptions } from '#scripts/install/options.ts'

const domain = 'control.example.com'
const settings = {
  domain,
  email: '',
  proxy: 'nginx',
  tls: 'acme',
  acme_directory: '',
  certificate: '',
  key: '',
  private_networks: false,
  port: 3000,
  machines: ['linux-x64', 'linux-arm64'],
} as const
const read = (args: string[], env = {}, kept = {}) => readOptions(args, env, kept).settings

test('needs a domain alone', () => {
  expect(readOptions(['--domain', 'Control.Example.com'], {}, {})).toEqual({
    settings: { ...settings, machines: [...settings.machines] },
    dry_run: false,
    uninstall: false,
    purge: false,
  })
})

test('an option overrides the environment, and that overrides the stored settings', () => {
  const env = { INSTALL_PORT: '3002', INSTALL_PROXY: 'none', INSTALL_EMAIL: '' }
  const kept = { domain, port: 3001, proxy: 'caddy' as const, tls: 'self-signed' as const }

  expect(read(['--port', '3003'], env, kept)).toMatchObject({
    ...{ domain, port: 3003, proxy: 'none', tls: 'self-signed', email: '' },
  })
})

test('private networks stay allowed until they are forbidden', () => {
  const kept = { domain, private_networks: true }

  expect(read(['--domain', domain, '--private-networks']).private_networks).toBe(true)
  expect(
    read([], { INSTALL_PRIVATE_NETWORKS: 'yes', INSTALL_DOMAIN: domain }).private_networks,
  ).toBe(true)
  expect(read([], {}, kept).private_networks).toBe(true)
  expect(read(['--no-private-networks'], {}, kept).private_networks).toBe(false)
})

test('an uninstallation needs no domain', () => {
  expect(readOptions(['--uninstall', '--purge'], {}, {})).toMatchObject({
    uninstall: true,
    purge: true,
  })
})

test.each([
  [[], '--domain is missing: the name of the dashboard for browsers'],
  [['--domain', '192.0.2.7'], '--domain must be a name such as control.example.com'],
  [['--domain', 'a.b; include x'], '--domain must be a name such as control.example.com'],
  [['--domain', domain, '--email', 'a b@c'], '--email must be an e-mail address'],
  [['--domain', domain, '--port', '0'], '--port must be a port number between 1 and 65535'],
  [['--domain', domain, '--proxy', 'apache'], '--proxy must be one of nginx, caddy, none'],
  [['--domain', domain, '--tls', 'none'], '--tls must be one of acme, self-signed, files'],
  [
    ['--domain', domain, '--tls', 'files', '--certificate', '/a.pem'],
    '--tls files needs --key with the absolute path of a file',
  ],
  [
    ['--domain', domain, '--acme-directory', 'https://a/$x;'],
    '--acme-directory must be an https:// address',
  ],
  [
    ['--domain', domain, '--machines', 'linux-x64,vax'],
    '--machines must be some of linux-x64,linux-arm64,linux-x64-musl,linux-arm64-musl',
  ],
  [['--purge'], '--purge needs --uninstall'],
  [['--force'], "Unknown option '--force': see --help"],
])('%j is refused in one line', (args, message) => {
  expect(() => readOptions(args, {}, {})).toThrow(new Error(message))
})

test('the help names each option', async () => {
  const help = await Bun.file('scripts/install/help.txt').text()
  const names = [...Object.keys(settings), 'dry_run', 'uninstall', 'purge']

  expect(names.filter((name) => !help.includes(`--${name.replaceAll('_', '-')} `))).toEqual([])
})
