// tier: core
import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFile, readdir } from 'node:fs/promises'
import { Client } from '#tests/support/client.ts'
import { makeReleased } from '#tests/support/dashboard/filled.ts'
import { contentOf } from '#tests/support/dashboard/records.ts'
import {
  ADMIN,
  dashboardFolder,
  runRecords,
  startDashboard,
  startRecords,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { long } from '#tests/support/runs.ts'

setDefaultTimeout(60_000)

const KILLS = long ? 200 : 3

describe('the commands of the dashboard', () => {
  afterAll(sweep)

  test('back up a running dashboard, and restore all of it on another machine', async () => {
    const [folder, other] = [await dashboardFolder(), await temporaryFolder('other')]
    const dashboard = await startDashboard(folder)
    const client = new Client(dashboard.url)
    await client.login(ADMIN)
    await client.post('/api/servers', { hostname: 'a.example.com', name: 'One' })
    const servers = (await client.get('/api/servers')).body

    const made = await runRecords(folder, ['backup', `${folder}/all.tar`, '--with-secrets'])

    const refused = await runRecords(folder, ['restore', `${folder}/all.tar`])
    const before = contentOf(`${folder}/dashboard.db`)
    await dashboard.stop()
    const restored = await runRecords(other, ['restore', `${folder}/all.tar`])
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('stop it first') })
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(contentOf(`${other}/dashboard.db`)).toEqual(before)
    expect(await runRecords(other, ['check'])).toEqual({ code: 0, out: 'ok\n', err: '' })
    const second = await startDashboard(other)
    const again = new Client(second.url)
    expect((await new Client(second.url, client.cookie ?? '').get('/api/auth/me')).status).toBe(401)
    await again.login(ADMIN)
    expect((await again.get('/api/servers')).body).toEqual(servers)
    await second.stop()
  })

  test('leave a complete backup or none when they are killed', async () => {
    const folder = await temporaryFolder('home')
    await makeReleased(`${folder}/dashboard.db`)
    for (let turn = 0; turn < KILLS; turn++) {
      const path = `${folder}/kept/${turn}.tar`
      await killAfter(folder, ['backup', path], turn)
      if (await Bun.file(path).exists())
        expect(await runRecords(folder, ['check', path])).toMatchObject({ code: 0 })
    }
    expect((await runRecords(folder, ['check'])).code).toBe(0)
  })

  test('leave the previous records or those of the backup when a restore is killed', async () => {
    const folder = await temporaryFolder('home')
    const file = `${folder}/dashboard.db`
    await makeReleased(file)
    await runRecords(folder, ['backup', `${folder}/then.tar`])
    const then = contentOf(file)
    const database = new Sqlite(file)
    database.run('DELETE FROM activities')
    database.close()
    await copyFile(file, `${folder}/now.db`)
    const now = contentOf(file)
    for (let turn = 0; turn < KILLS; turn++) {
      await copyFile(`${folder}/now.db`, file)
      await killAfter(folder, ['restore', `${folder}/then.tar`], turn)
      expect([now, then]).toContainEqual(contentOf(file))
    }
    expect(await runRecords(folder, ['restore', `${folder}/then.tar`])).toMatchObject({ code: 0 })
    expect(contentOf(file)).toEqual(then)
    expect((await readdir(folder)).filter((name) => name.includes('restoring'))).toEqual([])
  })
})

/** The kills are spread over what such a command takes on this machine. */
async function killAfter(folder: string, args: string[], turn: number): Promise<void> {
  const began = performance.now()
  if (whole === 0) {
    await runRecords(folder, ['check'])
    whole = 1.5 * (performance.now() - began)
  }
  const command = await startRecords(folder, args)
  await Bun.sleep((whole * (turn + 1)) / KILLS)
  await command.kill()
}

let whole = 0
