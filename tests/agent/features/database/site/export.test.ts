import { expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { Exports } from '#agent/features/database/site/export.ts'
import { listOfTables, server, shop } from '#tests/support/agent/debian.ts'

const { domain } = shop
const WHOLE = `CREATE TABLE a (b INT);\n${'x'.repeat(100_000)}\n-- Dump completed on 2026-01-01\n`

/** A site whose dump has this text, in pieces; `code` is the exit status of the dump. */
async function withDump(text = WHOLE, code = 0) {
  const host = await server(shop)
  host.answer('mariadb ', listOfTables('a'))
  host.answer('du ', '1000\t/var/lib/mysql/shop\n')
  const inputs: unknown[] = []
  host.shell.bytes = async function* (argv, options) {
    inputs.push([argv[0], options?.site?.user, options?.input])
    for (let at = 0; at < text.length; at += 10_000)
      yield new TextEncoder().encode(text.slice(at, at + 10_000))
    if (code === 0) return
    const { CommandFailed } = await import('#agent/kernel/host/errors.ts')
    throw new CommandFailed(argv, { code, stdout: '', stderr: 'Got error: 1194: a secret' })
  }
  return { host, inputs, exports: new Exports(host) }
}

async function read(started: Awaited<ReturnType<Exports['start']>>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for (let chunk = await started.next(); chunk; chunk = await started.next()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('sends a complete dump, compressed, made with the rights of the site', async () => {
  const { exports, inputs } = await withDump()

  const started = await exports.start(domain)

  expect(started.type).toBe('application/gzip')
  expect(gunzipSync(await read(started)).toString()).toBe(WHOLE)
  expect(inputs).toEqual([['xargs', 'shop', 'a\0']])
})

test('reports how far the export of a site is, until its end', async () => {
  const { exports, host } = await withDump()
  const attempt = host.shell.try
  host.shell.try = async (argv, given) => {
    const output = await attempt(argv, given)
    const isSize = given?.input?.includes('information_schema.TABLES')
    return isSize ? { ...output, stdout: 'total\t1\t120000\t0\t0\nend\n' } : output
  }
  expect(exports.progress(domain)).toBeNull()

  const started = await exports.start(domain)
  const first = exports.progress(domain)
  const others = exports.progress('other.example')
  for (let chunk = await started.next(); chunk; chunk = await started.next());

  expect(first).toEqual({ bytes: expect.any(Number), total: 120_000 })
  expect(first?.bytes).toBeGreaterThanOrEqual(10_000)
  expect([others, exports.progress(domain)]).toEqual([null, null])
})

test.each([
  ['fails', WHOLE, 2, 'The database could not be dumped (error 1194 of MariaDB)'],
  ['is cut off', WHOLE.slice(0, -20), 0, 'The dump of the database was cut off before its end'],
])('a dump that %s never looks complete', async (_, text, code, reason) => {
  const { exports } = await withDump(text, code)

  const whole = exports.start(domain).then(read)

  await expect(whole).rejects.toThrow(reason)
  const next = exports.start(domain).then(read)
  await expect(next).rejects.toThrow(reason)
})

test('a second export waits for the end of the first one, also when nobody reads it any more', async () => {
  const { exports, host } = await withDump()
  const first = await exports.start(domain)

  await expect(exports.start(domain)).rejects.toThrow(
    'Another export of a database is running on this server: try again later',
  )
  await first.end()
  const second = await exports.start(domain)

  expect(gunzipSync(await read(second)).toString()).toBe(WHOLE)
  expect(host.signals).toEqual([expect.stringMatching(/SIGKILL/), expect.stringMatching(/SIGKILL/)])
})

test('an unknown site is not found, and a site without a database is a conflict', async () => {
  const { exports, host } = await withDump()
  host.databases.delete('shop')

  const refused = (name: string) => exports.start(name)

  await expect(refused('nobody.example')).rejects.toMatchObject({ code: 'not_found' })
  await expect(refused(domain)).rejects.toMatchObject({
    code: 'conflict',
    message: `${domain} has no database`,
  })
})
