import { beforeEach, expect, test } from 'bun:test'
import { recordsProblem, setTxt } from '#agent/features/domains/dns-records.ts'
import { debian } from '#tests/support/agent/debian.ts'
import { HOOK, withHook } from '#tests/support/agent/dns-hook.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const FILE = '/etc/hosting-agent/cloudflare-token'
const TOKEN = 'a-token-of-forty-characters-a-token-of-f'
const RECORD = { name: '_acme-challenge.a.example', value: 'v' }

let host: FakeHost
beforeEach(async () => {
  host = await withHook(debian())
  host.settings.cloudflare = { api: 'https://cf.example', token_file: FILE }
  await host.disk.write(FILE, `${TOKEN}\n`, { mode: 0o600 })
})

test('a token comes before a hook, and never reaches a program', async () => {
  expect(await recordsProblem(host)).toBeUndefined()
  expect(await setTxt(host, 'present', RECORD)).toBeUndefined()

  expect(host.acme.records).toEqual([
    { api: 'https://cf.example', token: TOKEN, action: 'present', ...RECORD },
  ])
  expect(host.ran).toEqual([])
})

test('waits until name servers have a new record, and not for a removal', async () => {
  const { time } = host
  await setTxt(host, 'cleanup', RECORD)
  expect(host.time - time).toBe(0)
  await setTxt(host, 'present', RECORD)
  expect(host.time - time).toBe(10_000)
})

test('returns the message of Cloudflare', async () => {
  host.acme.recordFailure = 'Cloudflare: Invalid access token (9109)'
  expect(await setTxt(host, 'present', RECORD)).toEqual({
    reason: 'Cloudflare: Invalid access token (9109)',
    is_uncertain: false,
  })
  host.acme.recordLoss = 'Cloudflare answered 502 without a readable body'
  expect(await setTxt(host, 'present', RECORD)).toEqual({
    reason: 'Cloudflare answered 502 without a readable body',
    is_uncertain: true,
  })
})

test.each([
  ['others can read', TOKEN, { mode: 0o640 }, 'is readable by others than root'],
  ['others can write', TOKEN, { mode: 0o620 }, 'is writable by others than root'],
  ['belongs to a site', TOKEN, { mode: 0o600, owner: 'www-data' }, 'does not belong to root'],
  ['has no token', 'not a token\n', { mode: 0o600 }, 'has no API token of Cloudflare'],
])('a file that %s is not used', async (_, text, options, problem) => {
  await host.disk.write(FILE, text, options)

  expect(await recordsProblem(host)).toBe(`${FILE} ${problem}`)
  expect(await setTxt(host, 'present', RECORD)).toEqual({
    reason: `${FILE} ${problem}`,
    is_uncertain: false,
  })
  expect(host.acme.records).toEqual([])
})

test('without a token it is the hook, and without both nothing', async () => {
  host.settings.cloudflare = { api: 'https://cf.example', token_file: undefined }
  await setTxt(host, 'cleanup', RECORD)
  expect(host.ran).toEqual([`${HOOK} cleanup ${RECORD.name} v`])

  host.settings.dns_hook = undefined
  expect(await recordsProblem(host)).toBe(
    'neither AGENT_DNS_HOOK nor AGENT_CLOUDFLARE_TOKEN_FILE is set',
  )
})
