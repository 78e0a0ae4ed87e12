import { describe, expect, test } from 'bun:test'
import { renderCaddy } from '#scripts/install/caddy.ts'
import { otherFileWith, renderNginx } from '#scripts/install/nginx.ts'
import { readOptions } from '#scripts/install/options.ts'
import { COMMAND_TEXT, renderEnvironment, renderUnit } from '#scripts/install/unit.ts'

const { settings } = readOptions(['--domain', 'control.example.com'], {}, {})
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

test('the service cannot connect to metadata addresses, unless a name server has one', () => {
  const denied = 'IPAddressDeny=169.254.0.0/16 '

  expect(renderUnit('nameserver 1.1.1.1\n')).toContain(denied)
  expect(renderUnit('nameserver 1.1.1.1\n')).not.toContain('IPAddressAllow')
  expect(renderUnit('nameserver 169.254.169.254\n')).toContain('\nIPAddressAllow=169.254.169.254\n')
})

test('the service may confine its restic on systemd 252, too', () => {
  expect(renderUnit('')).toContain(
    '\nSystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self\n',
  )
})
