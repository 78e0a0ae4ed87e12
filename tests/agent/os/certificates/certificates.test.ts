import { expect, test } from 'bun:test'
import { renewDue } from '#agent/os/certificates/due.ts'
import { issue, tlsSite } from '#tests/support/agent/tls-site.ts'

const FOLDER = '/etc/hosting/tls/a.example'

test('a certificate is due in the last third of its validity, and when it is missing', async () => {
  const host = await tlsSite()
  const due = async () => (await renewDue(host)).map(({ domain, tls }) => `${domain} ${tls}`)
  expect(await due()).toEqual([])
  await issue(host, 'self-signed')
  expect(await due()).toEqual([])

  host.time = Date.UTC(2094, 0, 1)
  expect(await due()).toEqual(['a.example self-signed'])

  host.time = Date.UTC(2026, 0, 1)
  await host.disk.remove(FOLDER)
  expect(await due()).toEqual(['a.example self-signed'])
})
