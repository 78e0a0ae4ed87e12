import { expect, test } from 'bun:test'
import { importDatabase, importStream, lowerPacketLimit } from '#agent/kernel/database/import.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const USUAL = 16 << 20
const packets = (host: ReturnType<typeof fakeHost>) =>
  host.queries.filter((sql) => sql.startsWith('SET GLOBAL max_allowed_packet'))

/** A server on which each import ends on request. */
function machine() {
  const host = fakeHost()
  host.rows('SELECT @@GLOBAL.max_allowed_packet', [{ bytes: USUAL }])
  const lines: string[] = []
  const running: string[] = []
  const start = (user: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = { ...host, shell: host.shell, files: host.files, database: host.database }
    const end = importStream(
      { ...own, tell: (line) => lines.push(`${user}: ${line}`) },
      user,
      async () => {
        running.push(user)
        await promise
      },
    )
    return { end, finish: resolve }
  }
  return { host, lines, running, start }
}

test('imports into two sites at once, and reports to a third one why it waits', async () => {
  const { lines, running, start } = machine()
  const [one, two, three] = ['one', 'two', 'three'].map(start)
  await Bun.sleep(1)
  expect([running, lines]).toEqual([
    ['one', 'two'],
    ['three: Waiting: 2 imports of databases run on this server'],
  ])

  two?.finish()
  await Bun.sleep(1)
  expect(running).toEqual(['one', 'two', 'three'])

  one?.finish()
  three?.finish()
  await Promise.all([one?.end, two?.end, three?.end])
})

test('lowers the limit of long statements again only after the last of several imports', async () => {
  const { host, start } = machine()
  const [one, two] = ['one', 'two'].map(start)
  await Bun.sleep(1)
  one?.finish()
  await one?.end
  expect(packets(host)).not.toContain(`SET GLOBAL max_allowed_packet = ? | ${USUAL}`)

  two?.finish()
  await two?.end
  expect(packets(host).at(-1)).toBe(`SET GLOBAL max_allowed_packet = ? | ${USUAL}`)
})

test('leaves the limit alone for a dump that is smaller than it', async () => {
  const { host } = machine()
  await host.files.write('/small.sql', 'SELECT 1;\n')

  await importDatabase(host, 'one', '/small.sql', 'leave_some')

  expect(packets(host)).toEqual([])
})

test('lowers the limit at the start of an agent, and after the next import, when a killed one left it', async () => {
  const start = async () => {
    const { host } = machine()
    host.rows('SELECT @@GLOBAL.max_allowed_packet', [{ bytes: 4 * USUAL }])
    await host.files.write(`${host.settings.state_dir}/usual-packet`, String(USUAL))
    return host
  }
  const restarted = await start()
  await lowerPacketLimit(restarted)
  await lowerPacketLimit(restarted)
  const unlucky = await start()
  await importStream(unlucky, 'one', async () => undefined)

  const [low, high] = [USUAL, 4 * USUAL].map(
    (bytes) => `SET GLOBAL max_allowed_packet = ? | ${bytes}`,
  )
  expect(packets(restarted)).toEqual([String(low)])
  expect(packets(unlucky)).toEqual([String(high), String(low)])
})
