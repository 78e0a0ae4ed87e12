import { expect } from 'bun:test'
import type { World } from './world.ts'

interface Calls {
  /** Both look at what is answered. */
  call(method: string, path: string, body?: object): Promise<unknown>
  last(path: string, body?: object): Promise<{ event: string; data?: unknown } | undefined>
}

/** Everything else that opens a backup with the secrets of its storage: it is read, proven and pushed. */
export async function useBackups(
  { call, last }: Calls,
  world: World,
  site: { id: number; backup_id: number },
): Promise<void> {
  const at = world.path(`/sites/${site.id}`)
  const ends = async (path: string, body: object = {}) => {
    const end = await last(path, body)
    expect([path, end?.event, end?.data]).toEqual([path, 'complete', end?.data])
  }
  const backup = `${at}/backups/${site.backup_id}`
  expect(await call('GET', `${backup}/files?path=wp-content`)).toHaveProperty('entries')
  for (const part of ['files&path=wp-content', 'files&path=index.php', 'database']) {
    const response = await world.dashboard.open(`${backup}/download?part=${part}`)
    expect([part, response.status, (await response.bytes()).length > 100]).toEqual([
      part,
      200,
      true,
    ])
  }
  expect(await call('POST', `${at}/backups/refresh`)).toEqual({ gone: 0, found: 0 })
  await ends(`${at}/backups/prove`)
}

/** A staging site is refreshed from the backup and from the live site, and pushed, with a backup first. */
export async function pushStaging(
  { call, last }: Calls,
  world: World,
  site: { id: number; backup_id: number },
): Promise<void> {
  const { copies } = ((await call('GET', `/api/fleet/sites/${site.id}`)) as Shown).site
  const staging = copies.find(({ domain }) => domain.startsWith('staging.'))
  if (!staging) throw new Error('There is no staging site')
  const ends = async (path: string, body: object = {}) =>
    expect([path, (await last(path, body))?.event]).toEqual([path, 'complete'])
  const refresh = world.path(`/sites/${staging.id}/refresh`)
  await ends(refresh, { from: { kind: 'backup', backup_id: site.backup_id } })
  await ends(refresh)
  const at = world.path(`/sites/${site.id}`)
  await ends(`${at}/compare`, { staging_id: staging.id })
  await ends(`${at}/backups`)
  await ends(`${at}/push`, { staging_id: staging.id, files: true })
}

type Shown = { site: { copies: { id: number; domain: string }[] } }
