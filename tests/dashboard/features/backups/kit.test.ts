import { describe, expect } from 'bun:test'
import { confirmKit, kit } from '#tests/support/dashboard/backups.ts'
import { dashboardTest as test } from '#tests/support/dashboard/dashboard.ts'
import { rsa } from '#tests/support/key-pair.ts'

describe('the recovery kit', () => {
  test('is in use when its owner has proved that it opens the challenge', async (dashboard) => {
    expect((await dashboard.call('GET', '/api/backup-kit')).body).toEqual({
      ...{ in_use: null, pending: null },
    })

    const wrong = await (async () => {
      await dashboard.call('POST', '/api/backup-kit', { public_key: kit.publicKey })
      return dashboard.call('POST', '/api/backup-kit/confirm', { answer: 'AAAA' })
    })()
    expect(wrong.body).toEqual({
      error: 'Validation failed',
      fields: { answer: ['Is not the decrypted challenge of the last kit'] },
    })
    await confirmKit(dashboard)

    const { body } = await dashboard.call('GET', '/api/backup-kit')
    expect(body).toEqual({
      in_use: {
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        created_at: expect.any(String),
        confirmed_at: expect.any(String),
      },
      pending: null,
    })
  })

  test('stays in use while a newer one is not confirmed', async (dashboard) => {
    await confirmKit(dashboard)
    const { in_use } = (await dashboard.call('GET', '/api/backup-kit')).body

    const newer = await dashboard.call('POST', '/api/backup-kit', { public_key: rsa().publicKey })

    const { body } = await dashboard.call('GET', '/api/backup-kit')
    expect(body).toEqual({ in_use, pending: newer.body.kit })
    expect((await dashboard.call('GET', '/api/fleet/backups')).body.kit).toEqual(in_use)
  })

  test('needs an RSA key of 3072 bits', async (dashboard) => {
    const { status, body } = await dashboard.call('POST', '/api/backup-kit', {
      public_key: rsa(2048).publicKey,
    })

    expect([status, body.fields]).toEqual([
      422,
      { public_key: ['Must be a public RSA key of at least 3072 bits'] },
    ])
  })
})
