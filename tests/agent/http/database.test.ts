import { expect, test } from 'bun:test'
import { exportCall } from '#agent/http/database.ts'
import { forbidden } from '#shared/errors.ts'

const bytes = async () => new Uint8Array([1])
const readings = {
  exportDatabase: async () => ({
    type: 'application/gzip',
    next: bytes,
    end: async () => undefined,
  }),
}
const raw = new Request('http://agent/sites/database-export', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
})
const call = {
  req: { raw },
  var: { body: new TextEncoder().encode(JSON.stringify({ domain: 'www.shop.example' })) },
}
const permits = { permit: async () => () => undefined }
const idle = { isBusy: () => false }

test('a policy that denies users of databases denies their export', async () => {
  const asked: string[] = []
  const denies = {
    permit: async (command: string) => {
      asked.push(command)
      throw forbidden('denied')
    },
  }

  const answer = exportCall(readings, denies, idle)(call)

  await expect(answer).rejects.toThrow('denied')
  expect(asked).toEqual(['database.user'])
})

test('a database that another operation may be replacing is not exported', async () => {
  const busy = { isBusy: (key: string) => key === 'shop.example' }

  const answer = exportCall(readings, permits, busy)(call)

  await expect(answer).rejects.toThrow('Another operation is running on')
  expect((await exportCall(readings, permits, idle)(call)).status).toBe(200)
})
