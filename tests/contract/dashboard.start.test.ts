// tier: core
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { Client } from '#tests/support/client.ts'
import {
  ADMIN,
  dashboardFolder,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'

setDefaultTimeout(120_000)

describe('the dashboard', () => {
  afterAll(sweep)

  test('stops on SIGTERM with open connections', async () => {
    const dashboard = await startDashboard(await dashboardFolder())
    const client = new Client(dashboard.url)
    await client.login(ADMIN)
    const sockets = ['', 'POST /api/servers HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'].map(
      (unfinished) => {
        const socket = connect(dashboard.port, '127.0.0.1', () => socket.write(unfinished))
        return socket.on('error', () => undefined)
      },
    )
    await Bun.sleep(100)

    expect(await dashboard.stop()).toBe(0)
    for (const socket of sockets) socket.destroy()
  })

  test('has no default password', async () => {
    const dashboard = await startDashboard(await temporaryFolder('start'), { ADMIN_PASSWORD: '' })
    for (const password of ['admin', 'password', 'changeme', ' ']) {
      const { status } = await new Client(dashboard.url).login({ ...ADMIN, password })
      expect(status).toBe(401)
    }
    await dashboard.kill()
  })

  test('keeps its signing secret private: mode 0600, also in a public folder', async () => {
    const folder = `${await temporaryFolder('start')}/data`
    await mkdir(folder)
    await chmod(folder, 0o755)
    const dashboard = await startDashboard(folder)
    await dashboard.kill()

    const names = await readdir(folder)
    const modes = await Promise.all(
      names.map(async (name) => [name, ((await stat(`${folder}/${name}`)).mode & 0o077) === 0]),
    )
    const secrets = modes.filter(([name]) => /secret|key/.test(String(name)))
    expect(secrets.length).toBeGreaterThan(0)
    expect(secrets.filter(([, closed]) => !closed)).toEqual([])
  })

  test('accepts a signing secret from outside, and another one ends every session', async () => {
    const folder = await dashboardFolder()
    const first = await startDashboard(folder, { JWT_SECRET: 'a'.repeat(32) })
    const client = new Client(first.url)
    await client.login(ADMIN)
    await first.kill()

    const second = await startDashboard(folder, { JWT_SECRET: 'b'.repeat(32) })

    const other = new Client(second.url, client.cookie)
    expect((await other.get('/api/auth/me')).status).toBe(401)
    await second.kill()
  })
})
