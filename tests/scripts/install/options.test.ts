import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCiphers } from 'node:tls'
import { renderCaddy } from '#scripts/install/caddy.ts'
import { otherFileWith, renderNginx } from '#scripts/install/nginx.ts'
import { readOptions, type Settings } from '#scripts/install/options.ts'
import { COMMAND_TEXT, renderEnvironment, renderUnit } from '#scripts/install/unit.ts'

const domain = 'control.example.com'
const settings: Settings = {
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
}
const read = (args: string[], env = {}, kept = {}) => readOptions(args, env, kept).settings

test('needs a domain alone', () => {
  expect(readOptions(['--domain', 'Control.Example.com'], {}, {})).toEqual({
    settings,
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

const files = { certificate: '/etc/tls/c.pem', key: '/etc/tls/c.key' }

describe('the site of nginx', () => {
  test('never replaces the default server, and uses a separate name for each version', () => {
    const old = renderNginx(settings, files, { http2: 'listen', ipv6: false })
    const recent = renderNginx(settings, files, { http2: 'directive', ipv6: true })
    const listens = (text: string) => text.match(/^ {4}(listen|http2) .*;$/gm)

    expect(listens(old)).toEqual(['    listen 80;', '    listen 443 ssl http2;'])
    expect(listens(recent)).toEqual([
      '    listen 80;',
      '    listen [::]:80;',
      '    listen 443 ssl;',
      '    listen [::]:443 ssl;',
      '    http2 on;',
    ])
  })

  test('answers for its own name only, says no version, and offers no old cipher', () => {
    const text = renderNginx(settings, files, { http2: 'listen', ipv6: false })

    expect(text).toContain(`if ($host != ${settings.domain}) {\n        return 421;`)
    expect(text.match(/server_tokens off;/g)).toHaveLength(2)
    const [, offered = ''] = /ssl_ciphers (\S+);/.exec(text) ?? []
    const known = getCiphers().map((name) => name.toUpperCase())
    expect(offered.split(':').filter((name) => !known.includes(name))).toEqual([])
    expect(offered).not.toMatch(/CBC|SHA(:|$)|CAMELLIA|ARIA|CCM/)
  })

  test('without a certificate shows the challenge of the authority, and no dashboard', () => {
    const text = renderNginx(settings, undefined, { http2: 'listen', ipv6: false })

    expect(text).toContain('location ^~ /.well-known/acme-challenge/')
    expect(text).not.toMatch(/443|proxy_pass/)
  })

  test('is refused where another site has the name', () => {
    const files = [
      '# configuration file /etc/nginx/nginx.conf:\nhttp { server_name_in_redirect off; }',
      '# configuration file /etc/nginx/sites-enabled/zz-hosting-control:\nserver { \n server_name control.example.com;\n}',
      '# configuration file /etc/nginx/sites-enabled/shop:\n  server_name shop.example.com\n control.example.com;\n',
    ]

    expect(otherFileWith(files.join('\n'), 'control.example.com')).toBe(
      '/etc/nginx/sites-enabled/shop serves control.example.com already',
    )
    expect(otherFileWith(files.slice(0, 2).join('\n'), 'control.example.com')).toBeUndefined()
    expect(otherFileWith(files.join('\n'), 'example.com')).toBeUndefined()
  })
})

test.each([
  ['Let’s Encrypt by itself', {}, undefined, ''],
  [
    'another authority',
    { acme_directory: 'https://ca.example/dir', email: 'a@b.example' },
    undefined,
    '\ttls {\n\t\tissuer acme {\n\t\t\tdir https://ca.example/dir\n\t\t\temail a@b.example\n\t\t}\n\t}\n',
  ],
  ['an authority of its own', { tls: 'self-signed' as const }, undefined, '\ttls internal\n'],
  ['files', { tls: 'files' as const }, files, '\ttls /etc/tls/c.pem /etc/tls/c.key\n'],
])('Caddy serves with %s', (_, changed, certificate, tls) => {
  const text = renderCaddy({ ...settings, ...changed }, certificate)

  expect(text).toContain(`control.example.com {\n${tls}\trequest_body {`)
  expect(text).toContain('reverse_proxy 127.0.0.1:3000 {')
})

describe('the settings of the service', () => {
  test('keep what an administrator added, and their order', () => {
    const before = '# ours\nPORT=3000\nSMTP_URL=smtp://relay.example\nPRIVATE_ADDRESSES=allow\n'
    const decided = { PORT: '3001', PRIVATE_ADDRESSES: '', PUBLIC_URL: 'https://a.example' }
    const after = renderEnvironment(before, decided)

    expect(after).toBe(
      '# ours\nPORT=3001\nSMTP_URL=smtp://relay.example\nPUBLIC_URL=https://a.example\n',
    )
    expect(renderEnvironment(after, decided)).toBe(after)
  })

  test('begin with a comment about their purpose', () => {
    expect(renderEnvironment('', { PORT: '3000', ADMIN_EMAIL: '' })).toBe(
      '# Settings of the dashboard, explained in .github/docs/operating.md.\n# After a change: systemctl restart hosting-control\nPORT=3000\n',
    )
  })
})

test('the service has no root rights, and can only write its records', () => {
  const lines = renderUnit('').split('\n')

  for (const line of [
    'User=hosting-control',
    'ProtectSystem=strict',
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'MemoryMax=1G',
    'Restart=always',
    'StateDirectory=hosting-control',
  ])
    expect(lines).toContain(line)
  expect(lines.filter((line) => line.startsWith('ReadWritePaths='))).toEqual([])
})

test('the service and its commands run the build of the release', () => {
  const program = 'dist/hosting-control'

  expect(renderUnit('')).toContain(`\nExecStart=/opt/hosting-control/current/${program}\n`)
  expect(COMMAND_TEXT).toMatch(
    /^release="\$\{HOSTING_RELEASE:-\/opt\/hosting-control\/current\}"$/m,
  )
  expect(COMMAND_TEXT).toContain(`\n    "$release/${program}" "$@"\n`)
})

/** What the command gives the program as its arguments, in a folder where `id` says root. */
async function argumentsOf(...argv: string[]): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'command-'))
  try {
    const programs = { id: 'echo 0', 'systemd-run': 'for each; do echo "$each"; done' }
    for (const [name, line] of Object.entries(programs))
      await writeFile(join(home, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
    const command = Bun.spawn(['sh', '-c', COMMAND_TEXT, 'hosting-control', ...argv], {
      cwd: home,
      env: { PATH: `${home}:/usr/bin:/bin` },
    })
    const lines = (await new Response(command.stdout).text()).trim().split('\n')
    const at = lines.findIndex((line) => line.endsWith('/dist/hosting-control'))
    return lines.slice(at + 1).map((line) => line.replace(home, '<folder>'))
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

test('a path of a command is that in the folder of the caller, and an e-mail address is no path', async () => {
  expect([
    await argumentsOf('backup', 'new.tar', '--with-secrets'),
    await argumentsOf('check', '/mnt/backups/a.tar'),
    await argumentsOf('make-owner', 'ops@example.com'),
    await argumentsOf('reset-factors', 'ops@example.com'),
    await argumentsOf('reset-password', 'ops@example.com'),
  ]).toEqual([
    ['backup', '<folder>/new.tar', '--with-secrets'],
    ['check', '/mnt/backups/a.tar'],
    ['make-owner', 'ops@example.com'],
    ['reset-factors', 'ops@example.com'],
    ['reset-password', 'ops@example.com'],
  ])
})

test('the service cannot connect to metadata addresses, unless a name server has one', () => {
  const denied = 'IPAddressDeny=169.254.0.0/16 '

  expect(renderUnit('nameserver 1.1.1.1\n')).toContain(denied)
  expect(renderUnit('nameserver 1.1.1.1\n')).not.toContain('IPAddressAllow')
  expect(renderUnit('nameserver 169.254.169.254\n')).toContain('\nIPAddressAllow=169.254.169.254\n')
})

test('the release key is sealed again by root after each start, which it cannot prevent', () => {
  expect(renderUnit('')).toContain(
    '\nExecStartPost=-+/usr/local/sbin/hosting-control save-release-key\n',
  )
})

test('the service may confine its restic on systemd 252, too', () => {
  expect(renderUnit('')).toContain(
    '\nSystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self\n',
  )
})
