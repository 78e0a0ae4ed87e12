import { expect, test } from 'bun:test'
import { putRestic } from '#tests/support/storage/restic.ts'
import { confirmKit } from '#tests/support/system/confirm-kit.ts'
import { inventory as everything } from '#tests/support/system/odd-site.ts'
import { get } from '#tests/support/system/requests.ts'
import type { World } from '#tests/support/system/world.ts'

const STORE = '/mnt/store'

interface Shown {
  backups: { id: number; files: number; tables: number }[]
  obstacle: string | null
  undo: { at: string; until: string } | null
}

/** As a user does it: a kit, a target, a backup, an accident, a restore, and its undo. */
export function backsUp(world: World): void {
  const path = () => world.path(`/sites/${world.site.id}/backups`)
  const shown = async () => (await world.dashboard.call('GET', path())).body as unknown as Shown
  const last = async (to: string, input: object = {}) =>
    (await world.dashboard.stream('POST', to, input)).at(-1)

  /** Without the logs and sessions of PHP, which a backup leaves out. */
  const inventory = async () => {
    const { files, rows } = await everything(world.host, world.site)
    return { files: files.filter((line) => /^public|\/public\//.test(line)), rows }
  }

  async function addsTarget(): Promise<number> {
    const place = { kind: 'local', path: STORE }
    const input = { name: 'A folder', place }
    const { body } = await world.dashboard.call('POST', '/api/backup-targets', input)
    return (body.target as { id: number }).id
  }

  test('backs up a site, restores every file and row, and undoes the restore', async () => {
    const { host, site, variant } = world
    await putRestic(host)
    await host.must(['install', '-d', '-m', '0700', STORE])
    await confirmKit(world.dashboard)
    const target_id = await addsTarget()
    const check = world.path('/backup-check')
    if (variant.init === 'none') {
      const { status, body } = await world.dashboard.call('POST', check, { target_id })
      expect([status, body.message]).toEqual([409, 'Backups need a server that systemd started'])
      return
    }
    expect((await last(check, { target_id }))?.data).toEqual({ status: 'ok', append_only: false })

    // A restore gives all files to the site, without named pipes and set-ID bits.
    const odd = `rm -f wp-content/uploads/pipe; chmod -R ug-s .; chown -hR ${site.user}: .`
    await host.must(['bash', '-ec', `cd ${site.docroot}; ${odd}`])
    expect((await last(path()))?.event).toBe('complete')
    const whole = await inventory()
    const { backups } = await shown()
    expect(backups).toEqual([expect.objectContaining({ target: 'A folder' })])

    await host.must(['rm', '-rf', `${site.docroot}/wp-content/uploads`])
    await host.must(['mariadb', site.user, '-e', 'DROP TABLE odd_children, odd_rows'])
    const broken = await inventory()
    const parts = { files: true, database: true }
    const restored = await last(`${path()}/restore`, { backup_id: backups[0]?.id, parts })
    expect(restored?.data).toMatchObject({ status: 'ok', domain: site.domain })
    expect(await inventory()).toEqual(whole)
    expect((await get(host, `http://${site.domain}/?restored`)).status).toBe(200)

    expect((await last(`${path()}/undo`))?.event).toBe('complete')
    expect(await inventory()).toEqual(broken)
    expect((await shown()).undo).toBe(null)
    await last(`${path()}/restore`, { backup_id: backups[0]?.id, parts })
    expect(await inventory()).toEqual(whole)
  })
}
