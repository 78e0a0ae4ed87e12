// tier: gate
import { expect } from 'bun:test'
import type { BackupListing } from '#shared/backups/backup-read.ts'
import {
  backupAgent,
  checkedTarget,
  confirmKit,
  PASSWORD,
  SECRET,
} from '#tests/support/dashboard/backups.ts'
import { ending, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { testWith } from '#tests/support/fixture.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

/** A site with a backup, and the address of the backup. */
async function savedSite() {
  const { agent } = backupAgent()
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const sites = `/api/servers/${server_id}/sites`
  const id = await dashboard.addSite(server_id, { domain: 'shop.example', php: '8.2' })
  await confirmKit(dashboard)
  await checkedTarget(dashboard, server_id)
  await (await dashboard.send('POST', `${sites}/${id}/backups`, {})).text()
  const at = `${sites}/${id}/backups/1`
  const log = async () => {
    const { body } = await dashboard.call('GET', '/api/activity?type=backup.download')
    return body.activities.map(({ status }: { status: string }) => status)
  }
  return { ...ending(dashboard, agent), agent, dashboard, at, log }
}

const test = testWith(savedSite)

const LISTING: BackupListing = {
  entries: [{ name: 'a\nb', kind: 'file', size: 7, at: '2026-01-01T00:00:00Z', can_choose: false }],
  is_cut: false,
  tables: ['wp_options'],
}

test('a folder of a backup is read by the server of the site, with the secrets of the target', async ({
  agent,
  dashboard,
  at,
}) => {
  const asked: Record<string, unknown>[] = []
  agent.answers.set('/backups/browse', async (request) => {
    asked.push(await request.json())
    return Response.json(LISTING)
  })

  const { status, body } = await dashboard.call('GET', `${at}/files?path=wp-content%2Fuploads`)

  expect([status, body]).toEqual([200, LISTING])
  expect(asked).toEqual([
    expect.objectContaining({
      password_id: passwordIdOf(PASSWORD),
      ...{ backup: '1'.repeat(64), path: 'wp-content/uploads' },
      target: expect.objectContaining({ secret: SECRET }),
    }),
  ])
  const refused = await dashboard.call('GET', `${at}/files?path=..%2Fother`)
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([422, ['path']])
  expect((await dashboard.call('GET', `${at.slice(0, -1)}99/files`)).status).toBe(404)
})

test.each([
  [
    'application/x-tar',
    'files',
    'wp-content/my%20"plugin',
    /^shop\.example-2026-01-0\d-0000-my_plugin_?\.tar$/,
  ],
  ['application/sql', 'database', '', /^shop\.example-2026-01-0\d-0000-database\.sql$/],
  ['application/octet-stream', 'files', 'a/wp-config.php', /^wp-config\.php$/],
])(
  '%s of the %s is passed on with a name, and recorded',
  async ({ agent, dashboard, at, log }, type, part, path, name) => {
    const bytes = Buffer.alloc(3_000_000, 'x\0\xff')
    agent.answers.set(
      '/backups/download',
      () => new Response(bytes, { headers: { 'content-type': type } }),
    )

    const response = await dashboard.send(
      'GET',
      `${at}/download?part=${part}&path=${path.replace('"', '')}`,
    )

    expect(response.status).toBe(200)
    const disposition = response.headers.get('content-disposition') ?? ''
    expect(/^attachment; filename="(.*?)"/.exec(disposition)?.[1]).toMatch(name)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    expect(await log()).toEqual(['success'])
  },
)

test('a refused download is an error with the reason, and recorded', async ({
  agent,
  dashboard,
  at,
  log,
}) => {
  const reason = { error: 'Conflict', message: 'Another download of a backup is running' }
  agent.answers.set('/backups/download', () => Response.json(reason, { status: 409 }))

  const { status, body } = await dashboard.call('GET', `${at}/download?part=files`)

  expect([status, body.message, await log()]).toEqual([409, reason.message, ['failed']])
})

test('a download that is cut off does not look complete', async ({ agent, dashboard, at }) => {
  agent.answers.set('/backups/download', (_, { outgoing }) => {
    outgoing.writeHead(200, { 'content-type': 'application/x-tar' }).write(Buffer.alloc(3000))
    setTimeout(() => outgoing.destroy(), 60)
  })

  const response = await dashboard.send('GET', `${at}/download?part=files`)

  expect(response.arrayBuffer()).rejects.toThrow()
})
