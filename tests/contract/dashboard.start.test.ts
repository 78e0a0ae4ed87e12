// tier: core
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { Client } from '#tests/support/client.ts'
import {
  ADMIN,
  dashboardFolder,
  type Environment,
  runDashboard,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'

setDefaultTimeout(120_000)

const refused: [string, Environment, string][] = [
  ['port 65536', { PORT: '65536' }, 'PORT'],
  ['a negative port', { PORT: '-1' }, 'PORT'],
  ['a database of another kind', { DATABASE_URL: 'postgres://localhost/x' }, 'DATABASE_URL'],
  ['a database that is no URL', { DATABASE_URL: 'records' }, 'DATABASE_URL'],
  ['an e-mail address that is none', { ADMIN_EMAIL: 'ann' }, 'ADMIN_EMAIL'],
  ['a public address that is no URL', { PUBLIC_URL: 'control.example' }, 'PUBLIC_URL'],
  ['a public address of another scheme', { PUBLIC_URL: 'ftp://control.example' }, 'PUBLIC_URL'],
  ['a mail server that is no URL', { SMTP_URL: 'mail.example' }, 'SMTP_URL'],
  ['a time in the trash without end', { TRASH_DAYS: '366' }, 'TRASH_DAYS'],
  ['a signing secret that is too short', { JWT_SECRET: 'hunter2' }, 'JWT_SECRET'],
]

describe('the dashboard', () => {
  afterAll(sweep)

  const refuses = async (_: string, env: Environment, name: string) => {
    const { code, out, err } = await runDashboard(await temporaryFolder('start'), env)

    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.split('\n')).toEqual([expect.stringContaining(name), ''])
    expect(err).not.toContain('hunter2')
  }
  test.each(refused)('refuses %s with one line and status 2', refuses)

  test('says in one line that its folder cannot be used', async () => {
    const { code, out, err } = await runDashboard('/proc/hosting-control')

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n')).toEqual([expect.stringContaining('DATA_DIR'), ''])
  })

  test('prints one line when it listens, and stops on SIGTERM with status 0', async () => {
    const dashboard = await startDashboard(await temporaryFolder('start'))

    expect(await dashboard.stop()).toBe(0)

    const out = `listening on http://127.0.0.1:${dashboard.port}\n`
    expect(dashboard.output).toEqual({ out, err: '' })
  })

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

  test('does not contact a server that is not enrolled in production: 503', async () => {
    const folder = await dashboardFolder()
    const dashboard = await startDashboard(folder, { NODE_ENV: 'production' })
    const client = new Client(dashboard.url)
    await client.login(ADMIN)
    await client.post('/api/servers', { hostname: '127.0.0.1', port: dashboard.port })

    const { status, body } = await client.post('/api/servers/1/sync')

    expect({ status, body }).toEqual({
      status: 503,
      body: { error: 'Agent offline', message: expect.stringContaining('enrolled') },
    })
    await dashboard.kill()
  })
})
