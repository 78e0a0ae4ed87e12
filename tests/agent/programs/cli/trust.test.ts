import { expect, test } from 'bun:test'
import { readConfig } from '#agent/kernel/config.ts'
import { trust } from '#agent/programs/cli/trust.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const config = readConfig({})
const key = `ed25519:k2:${'A'.repeat(43)}`

test.each([[['--help']], [['-h']], [[]]])(
  'trust %j explains the key that it needs',
  async (args) => {
    expect(await trust(config, new FakeHost(), args)).toStartWith(
      'hosting-agent trust --hub-key ed25519:<id>:<key>\n',
    )
  },
)

test('trust replaces all keys', async () => {
  const host = new FakeHost()
  const path = '/var/lib/hosting-agent/trust/hub.json'
  const before = { kid: 'k1', public_key: 'B'.repeat(43), until: null }
  host.disk.putText(path, JSON.stringify({ server_id: 1, epoch: 3, keys: [before] }))

  expect(await trust(config, host, ['--hub-key', key])).toBe('trusted: k2, and no other key')
  const after = { kid: 'k2', public_key: 'A'.repeat(43), until: null }
  expect(JSON.parse((await host.files.read(path)) ?? '')).toEqual({
    ...{ server_id: 1, epoch: 4, keys: [after] },
  })
  await expect(trust(config, host, ['--hub-key', 'k2'])).rejects.toThrow(
    '--hub-key must be ed25519:<id>:<key>',
  )
})
