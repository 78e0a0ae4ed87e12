// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { run } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { confirmKit } from '#tests/support/system/confirm-kit.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { MINUTES, World } from '#tests/support/system/world.ts'

const MB = 2 ** 20
const SUMS = 'cd public && find . -type f -print0 | sort -z | xargs -0 sha256sum'

unless(lab.available()).describe('the content of a backup', () => {
  const variant = { name: 'parts', suite: 'trixie', init: 'systemd', php: '8.4' } as const
  const world = new World({ ...variant, image: 'provisioned' })
  let home: string
  let site: string
  let at: string

  const bash = (text: string) => world.host.must(['bash', '-c', `cd ${home} && ${text}`])
  const ends = async (path: string, body: object) => {
    const events = await world.dashboard.stream('POST', path, body)
    expect(events.at(-1)?.event).toBe('complete')
  }
  const download = (query: string, signal?: AbortSignal) =>
    world.dashboard.open(`${at}/download?${query}`, signal)
  /** In kB, of the dashboard. */
  const memory = async () => {
    const { pid } = world.dashboard.process.child
    return Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${pid}/status`).text())?.[1])
  }
  /** The programs and secrets of downloads that are there. */
  const left = async () =>
    (
      await world.host.exec([
        'bash',
        '-c',
        'pgrep -x restic; ls -d /var/lib/hosting-agent/backups/.*/open',
      ])
    ).stdout

  beforeAll(async () => {
    await world.start()
    const { dashboard, host } = world
    await world.register()
    await ends(world.path('/provision'), { php_versions: ['8.4'] })
    const input = { domain: 'parts.example.test', php: '8.4', tls: 'none' }
    const created = await dashboard.call('POST', world.path('/sites'), input)
    await endOf(dashboard, created)
    const { id } = created.body.site as { id: number }
    home = (await host.must(['bash', '-c', 'ls -d /srv/www/[a-z]*'])).trim()
    await bash(`mkdir -p public/odd/in && printf x > $'public/odd/new\\nline' && printf y > 'public/odd/ü "q" [1]' &&
      ln -s /etc/shadow public/odd/link && head -c 200M /dev/urandom > public/odd/in/large.bin`)
    await putRestic(host)
    await host.must(['install', '-d', '-m', '0700', '/mnt/store'])
    await confirmKit(dashboard)
    const place = { kind: 'local', path: '/mnt/store' }
    const target = await dashboard.call('POST', '/api/backup-targets', { name: 'A folder', place })
    const target_id = (target.body.target as { id: number }).id
    await ends(world.path('/backup-check'), { target_id })
    site = world.path(`/sites/${id}`)
    at = `${site}/backups/1`
  }, 10 * MINUTES)
  afterAll(() => world.stop(), 5 * MINUTES)

  test('is made before a site goes to the trash', async () => {
    const { dashboard } = world
    const plan = await dashboard.call('DELETE', `${site}?dry_run=true`)
    const deleted = await endOf(dashboard, await dashboard.call('DELETE', site))
    const listed = await dashboard.call('GET', `${site}/backups`)
    const again = await endOf(dashboard, await dashboard.call('POST', `${site}/restore`))
    const refreshed = await dashboard.call('POST', `${site}/backups/refresh`)

    const { steps } = plan.body.plan as { steps: { name: string }[] }
    const { backups } = listed.body as { backups: { id: number; files: number }[] }
    expect([steps[0]?.name, deleted.event, again.event]).toEqual(['backup', 'complete', 'complete'])
    expect(refreshed.body).toMatchObject({ found: 0, gone: 0 })
    expect(backups.map(({ id, files }) => [id, files > 3000])).toEqual([[1, true]])
  })

  test('is listed, with names that no call can have, and with its tables', async () => {
    const { status, body } = await world.dashboard.call('GET', `${at}/files?path=odd`)

    expect(status).toBe(200)
    const names = (body.entries as { name: string; kind: string; can_choose: boolean }[]).map(
      ({ name, kind, can_choose }) => [name, kind, can_choose],
    )
    expect(names).toEqual([
      ['in', 'directory', true],
      ['link', 'link', true],
      ['new\nline', 'file', false],
      ['ü "q" [1]', 'file', true],
    ])
    expect((body.tables as string[]).filter((name) => /options$/.test(name))).toHaveLength(1)
    const other = await world.dashboard.call('GET', `${at}/files?path=odd%2Flink`)
    expect([other.status, await left()]).toEqual([404, ''])
  })

  test('is downloaded: each file of the archive is the one of the site', async () => {
    const folder = (await run(['mktemp', '-d'])).stdout.trim()
    const response = await download('part=files')
    expect(response.headers.get('content-disposition')).toMatch(/-files\.tar"/)
    await Bun.write(`${folder}/all.tar`, response)
    const unpack = `cd ${folder} && tar xf all.tar && rm all.tar && ${SUMS}`
    const { stdout } = await run(['bash', '-c', unpack])
    expect(stdout.split('\n').length).toBeGreaterThan(3000)
    expect(stdout).toBe(await bash(SUMS))
    await run(['rm', '-rf', folder])

    const file = await download(`part=files&path=${encodeURIComponent('odd/ü "q" [1]')}`)
    expect([file.headers.get('content-disposition'), await file.text()]).toEqual([
      `attachment; filename="___q___1_"; filename*=UTF-8''%C3%BC%20%22q%22%20%5B1%5D`,
      'y',
    ])
    const dump = await (await download('part=database')).text()
    expect(dump).toMatch(/^-- Dump completed/m)
    const link = await download('part=files&path=odd%2Flink')
    expect([link.status, await link.json()]).toMatchObject([
      409,
      { message: 'odd/link is neither a file nor a folder' },
    ])
    expect(await left()).toBe('')
  })

  test('is not kept in memory for a slow reader, who is alone, and who may leave at any time', async () => {
    const before = await memory()
    const gone = new AbortController()
    const response = await download('part=files&path=odd%2Fin&archive=zip', gone.signal)
    const reader = response.body?.getReader()
    await reader?.read()
    await Bun.sleep(3000)
    expect((await memory()) - before).toBeLessThan(80_000)
    expect(await left()).toContain('.download/open')
    const second = await download('part=database')
    expect([second.status, await second.json()]).toMatchObject([
      409,
      { message: expect.stringContaining('Another download of a backup is running') },
    ])

    await reader?.cancel().catch(() => undefined)
    gone.abort()

    expect(await lab.poll(async () => (await left()) === '', { timeout_ms: 60_000 })).toBe(true)
    const again = await download('part=files&path=odd%2Fin%2Flarge.bin')
    expect((await again.arrayBuffer()).byteLength).toBe(200 * MB)
    expect(await left()).toBe('')
  })

  test('is recorded in the activity, whoever took it', async () => {
    const { body } = await world.dashboard.call('GET', '/api/activity?type=backup.download')
    const statuses = (body.activities as { status: string }[]).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'failed')).toHaveLength(2)
    expect(statuses.filter((status) => status === 'success')).toHaveLength(5)
  })
})
