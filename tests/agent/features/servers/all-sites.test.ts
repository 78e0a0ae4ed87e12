import { expect, test } from 'bun:test'
import { mailSteps } from '#agent/features/mail/install-mail.ts'
import { allSitesSteps } from '#agent/features/servers/all-sites.ts'
import { LOGIN_PHP_TEXT } from '#agent/features/wordpress/login/install.ts'
import { renderAllSites } from '#agent/kernel/site/all-sites.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const PATH = '/etc/systemd/system/hosting.slice'

/** The user of the queue of mail is there already. */
async function withMail() {
  const host = fakeHost()
  await host.disk.write('/etc/passwd', 'hosting-mail:x:999:999:::\n')
  for (const step of await mailSteps(host)) await step.apply()
  return host
}

test('denies all sites the addresses of metadata services, once', async () => {
  const host = await withMail()
  for (const step of await allSitesSteps(host)) await step.apply()

  expect(host.disk.all[PATH]).toContain(
    '\nIPAddressDeny=169.254.0.0/16 fe80::/64 fd00:ec2::254/128',
  )
  expect(host.ran).toEqual(['systemctl daemon-reload'])
  expect(await allSitesSteps(host)).toEqual([])
})

test.each([
  ['nameserver 10.0.0.2\n', []],
  ['# nameserver 169.254.169.254\n', []],
  ['search x\nnameserver 169.254.169.254\n', ['IPAddressAllow=169.254.169.254']],
  ['nameserver 1.1.1.1\nnameserver fe80::1\n', ['IPAddressAllow=fe80::1']],
])('leaves the name server of %j reachable', (resolv_conf, allowed) => {
  const lines = renderAllSites(resolv_conf).split('\n')

  expect(lines.filter((line) => line.startsWith('IPAddressAllow'))).toEqual(allowed)
})

test('denies nothing without systemd, and installs the programs for logins and debug logs', async () => {
  const host = await withMail()
  host.init = 'direct'

  const steps = await allSitesSteps(host)
  for (const step of steps) await step.apply()

  expect(steps.map(({ name }) => name)).toEqual(['login', 'debug log'])
  expect(host.disk.all['/usr/local/lib/hosting/login.php']).toBe(LOGIN_PHP_TEXT)
  expect(await allSitesSteps(host)).toEqual([])
})
