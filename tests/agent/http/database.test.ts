import { expect, test } from 'bun:test'
import { databaseCalls, exportCall } from '#agent/http/database.ts'
import { forbidden, type ServiceError } from '#shared/errors.ts'

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

test('a policy that denies Adminer ends its sessions too, and names the wrong field', async () => {
  const asked: string[] = []
  const denies = {
    permit: async (command: string) => {
      asked.push(command)
      throw forbidden('denied')
    },
  }
  const never = async () => {
    throw new Error('asked')
  }
  const calls = databaseCalls({ ...readings, askTool: never, toolFile: never }, denies, idle)
  const body = (value: object) => ({
    req: { raw },
    var: { body: new TextEncoder().encode(JSON.stringify(value)) },
  })
  const request = {
    ...{ domain: 'shop.example', user: 'hosting_tmp_a1b2c3d4e5_1767229200', method: 'GET' },
    ...{ password: 'a'.repeat(43), query: '', type: '', body: '' },
  }

  await expect(calls['/sites/database-tool'](body(request))).rejects.toThrow('denied')
  const file = { domain: 'shop.example', file: 'default.css' }
  await expect(calls['/sites/database-tool-file'](body(file))).rejects.toThrow('denied')
  expect(asked).toEqual(['database.tool', 'database.tool'])
  for (const wrong of [
    ...[{ user: 'root' }, { password: 'x' }, { method: 'PUT' }, { query: 'a\nb' }, { query: 'ä' }],
    ...[{ type: 'text/plain' }, { body: '!' }, { body: 'a'.repeat(700_001) }],
  ]) {
    const answer = calls['/sites/database-tool'](body({ ...request, ...wrong }))
    const fields = await answer.catch((error: ServiceError) => Object.keys(error.fields ?? {}))
    expect(fields).toEqual(Object.keys(wrong))
  }
  const other = calls['/sites/database-tool-file'](body({ ...file, file: '../passwd' }))
  await expect(other).rejects.toMatchObject({
    fields: { file: ['Must be the name of a file of Adminer'] },
  })
})
