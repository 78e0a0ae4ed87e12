import { beforeEach, expect, test } from 'bun:test'
import { missingNames } from '#agent/features/domains/certificate-coverage.ts'
import { listDue } from '#agent/features/domains/renewal.ts'
import { tlsIssue } from '#agent/features/domains/tls.issue.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import {
  CHALLENGES,
  digestOf,
  dnsAuthority,
  HOOK,
  withHook,
} from '#tests/support/agent/dns-hook.ts'
import { issue, resolving, serveTokens, tlsSite } from '#tests/support/agent/tls-site.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'

const VALUE = digestOf('*.a.example')
const LEFT_OUT = `The certificate leaves out *.a.example`

let host: FakeHost
beforeEach(async () => {
  host = await withHook(await tlsSite())
  const names = SiteNames.parse({ aliases: ['*.a.example', 'shop.b.example'] })
  await writeSite(host, { ...(await getSite(host, 'a.example')), names })
  serveTokens(host, ['shop.b.example'])
  // A wildcard needs no record that visitors use.
  resolving(host, { '*.a.example': [] })
})

const orders = () => host.orders.map(({ names, timeout_ms }) => [names, timeout_ms])
const hookRuns = () => host.ran.filter((line) => line.startsWith(HOOK))

test('a wildcard is validated by its TXT record, and stands for the names that it covers', async () => {
  dnsAuthority(host, () => ({ chain: authorityPem }))
  const [, , warnings] = await issue(host, 'letsencrypt')

  expect(warnings).toEqual([])
  expect(orders()).toEqual([[['a.example', '*.a.example', 'shop.b.example'], 250_000]])
  expect(hookRuns()).toEqual([
    `${HOOK} present _acme-challenge.a.example ${VALUE}`,
    `${HOOK} cleanup _acme-challenge.a.example ${VALUE}`,
  ])
})

test('a failing hook leaves the wildcard out, and the names that it covers are ordered instead', async () => {
  host.fail(`${HOOK} present`, 'Invalid API token')
  dnsAuthority(host, () => ({ chain: authorityPem }))
  const [lines, , warnings] = await issue(host, 'letsencrypt')

  const reason = `${HOOK} ended with status 1: Invalid API token`
  expect(lines).toContain(`Leaving out *.a.example: ${reason}`)
  expect(warnings).toEqual([{ code: 'certificate_refused', message: `${LEFT_OUT} (${reason})` }])
  expect(orders().at(-1)).toEqual([['a.example', 'www.a.example', 'shop.b.example'], 120_000])
  expect(hookRuns()).toHaveLength(2)
  expect(JSON.parse(host.disk.all[CHALLENGES] ?? '')).toEqual([])
})

test('a failing hook is tried again later, and is no failed validation of the authority', async () => {
  host.fail(`${HOOK} present`, 'timeout')
  dnsAuthority(host, () => ({ chain: authorityPem }))
  for (let tries = 0; tries < 5; tries++) await issue(host, 'letsencrypt')
  expect(host.disk.all['/var/lib/hosting-agent/certificate-validations.json']).toBeUndefined()
  expect(await listDue(host)).toEqual([])

  host.time += 5 * 3_600_000
  expect(await listDue(host)).toMatchObject([{ domain: 'a.example' }])
})

test('a name without a record is in the certificate through the wildcard, or left out with it', async () => {
  resolving(host, { 'www.a.example': [] })
  dnsAuthority(host, () => ({ chain: authorityPem }))
  expect((await issue(host, 'letsencrypt'))[2]).toEqual([])

  host.fail(`${HOOK} present`, 'timeout')
  const [lines, , warnings] = await issue(host, 'letsencrypt')
  expect(lines).toContain('Leaving out www.a.example: it has no A and no AAAA record in DNS')
  const reason = `${LEFT_OUT} (${HOOK} ended with status 1: timeout)`
  expect(warnings.map(({ message }) => message)).toEqual([reason])
  expect(orders().at(-1)).toEqual([['a.example', 'shop.b.example'], 120_000])
})

test('without a hook the wildcard is left out, and nothing is asked', async () => {
  host.settings.dns_hook = undefined
  dnsAuthority(host, () => ({ chain: authorityPem }))
  const [, , warnings] = await issue(host, 'letsencrypt')

  const reason = 'neither AGENT_DNS_HOOK nor AGENT_CLOUDFLARE_TOKEN_FILE is set'
  expect(warnings).toEqual([{ code: 'certificate_refused', message: `${LEFT_OUT} (${reason})` }])
  expect(orders()).toEqual([[['a.example', 'www.a.example', 'shop.b.example'], 120_000]])
})

test('the plan names the order and the record of the hook', async () => {
  const params = { domain: 'a.example', tls: 'letsencrypt', email: 'ops@a.example' } as const
  const [step] = await tlsIssue.plan(params, host)

  const effects = typeof step?.effects === 'function' ? await step.effects() : step?.effects
  expect(effects?.filter(({ action }) => action === 'run')).toEqual([
    { action: 'run', kind: 'order', name: 'https://acme.example/directory' },
    { action: 'run', kind: 'hook', name: '_acme-challenge.a.example' },
    { action: 'run', kind: 'reload', name: 'nginx.service' },
  ])
})

test.each(['_acme-challenge.b.example', '_acme-challenge.shop.b.example', 'www.a.example'])(
  'an authority cannot set the record %s',
  async (name) => {
    host.acme.order = async ({ publish }) => {
      expect(await publish(name, VALUE)).toBe('the authority asked for the record of another name')
      return { chain: authorityPem }
    }

    await issue(host, 'letsencrypt')

    expect(hookRuns()).toEqual([])
  },
)

test.each(['', 'v', '-'.repeat(42), `${'a'.repeat(42)}\n`, `${'a'.repeat(42)}"`, 'a'.repeat(44)])(
  'a record never gets the value %p',
  async (value) => {
    host.acme.order = async ({ publish }) => {
      const reason = await publish('_acme-challenge.a.example', value)
      expect(reason).toBe('the value of its record is no digest of an authority')
      return { chain: authorityPem }
    }

    await issue(host, 'letsencrypt')

    expect(hookRuns()).toEqual([])
  },
)

test('an order that breaks leaves no record behind', async () => {
  dnsAuthority(host, () => {
    throw new Error('acme.example cannot be reached')
  })

  await issue(host, 'letsencrypt')

  expect(hookRuns()).toHaveLength(2)
  expect(JSON.parse(host.disk.all[CHALLENGES] ?? '')).toEqual([])
})

test('an order that ends early removes a record only after the call that sets it', async () => {
  const file = '/etc/hosting-agent/cloudflare-token'
  host.settings.cloudflare = { api: 'https://cf.example', token_file: file }
  await host.disk.write(file, 'a-token-of-forty-characters-a-token-of-f', { mode: 0o600 })
  const calls: string[] = []
  host.acme.record = async ({ action }) => {
    calls.push(action)
    await Bun.sleep(10)
    calls.push(`${action} answered`)
  }
  host.acme.order = async ({ publish }) => {
    void publish('_acme-challenge.a.example', VALUE)
    while (calls.length === 0) await Bun.sleep(1)
    throw new Error('The operation was cancelled')
  }

  await issue(host, 'letsencrypt')

  expect(calls).toEqual(['present', 'present answered', 'cleanup', 'cleanup answered'])
})

test('www is not missing from a certificate with the wildcard', async () => {
  await issue(host, 'self-signed')
  const site = await getSite(host, 'a.example')
  const folder = '/etc/hosting/tls/a.example'
  const { privateKey, pem } = await wildcardPem()
  await host.disk.write(`${folder}/privkey.pem`, privateKey)
  await host.disk.write(`${folder}/fullchain.pem`, pem)

  expect(await missingNames(host, site)).toEqual(['shop.b.example'])
})

/** Returns a private key and its self-signed certificate for a.example and *.a.example. */
async function wildcardPem() {
  const { crypto } = await import('acme-client')
  const key = String(await crypto.createPrivateEcdsaKey())
  const argv = ['openssl', 'req', '-x509', '-key', '/dev/stdin', '-subj', '/CN=a.example']
  const names = 'subjectAltName=DNS:a.example,DNS:*.a.example'
  const child = Bun.spawnSync([...argv, '-addext', names], { stdin: Buffer.from(key) })
  return { privateKey: key, pem: child.stdout.toString() }
}
