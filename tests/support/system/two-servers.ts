import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { type Acme, startAcme } from '#tests/support/acme/index.ts'
import { kit, opened } from '#tests/support/dashboard/backups.ts'
import * as lab from '#tests/support/lab/index.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'
import type { Process } from './inside.ts'
import { joinServer } from './join-server.ts'
import { packaged } from './packaged.ts'

const STORE = '/mnt/store'

export interface Member {
  host: lab.Host
  /** The id of the server's record in the dashboard. */
  id: number
}

/** Two enrolled servers of one dashboard, with a backup target that both reach. */
export interface TwoServers {
  readonly dashboard: Dashboard
  /** The processes of all its starts, and their names by number. */
  dashboards: readonly Process[]
  programs: ReadonlyMap<number, string>
  data_dir: string
  /** The folder of the target, on this machine. */
  store: string
  one: Member
  two: Member
  /** The authority, whose certificates both servers trust, and their name server. */
  acme: Acme
  /** Kills the dashboard, and starts it again with the same records. */
  restartDashboard(): Promise<void>
  stop(): Promise<void>
}

export async function startTwoServers(): Promise<TwoServers> {
  const { file } = await buildAgent('.')
  const program = await Bun.file(file).bytes()
  const { netns, address } = await lab.switchUp()
  const acme = await startAcme()
  const store = mkdtempSync(join(tmpdir(), 'store-'))
  const data_dir = mkdtempSync(join(tmpdir(), 'enrolled-'))
  const env = { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow', DATA_DIR: data_dir }
  const dashboards: Process[] = []
  const programs = new Map<number, string>()
  const start = async () => {
    const started = await startDashboard(netns, { address, env })
    dashboards.push(started.process)
    programs.set(started.process.child.pid ?? 0, 'dashboard')
    return started
  }
  let dashboard = await start()
  const member = async (name: string): Promise<Member> => {
    const binds = [
      { from: await wordpressMirror(), to: '/srv/mirror', readonly: true },
      { from: store, to: STORE },
    ]
    const image = await packaged('trixie')
    const host = await lab.startHost({ name, suite: 'trixie', init: 'systemd', image, binds })
    await putRestic(host)
    await host.put('/usr/local/share/ca-certificates/issuing.crt', await acme.issuing_root())
    await host.must(['update-ca-certificates'])
    const policy = JSON.stringify({ destructive_per_hour: 1000 })
    await host.put('/etc/hosting-agent/policy.json', policy, 0o600)
    return { host, id: await joinServer(host, { dashboard, acme, program }) }
  }
  const [one, two] = [await member('leaving'), await member('arriving')]
  for (const { id } of [one, two]) await provisioned(dashboard, id)
  await addTarget(dashboard, one.id)
  return {
    ...{ acme, data_dir, dashboards, programs, store, one, two },
    get dashboard() {
      return dashboard
    },
    async restartDashboard() {
      await dashboard.process.stop('SIGKILL')
      await dashboard.stop()
      dashboard = await start()
    },
    async stop() {
      await dashboard.stop()
      await acme.stop()
      await lab.switchDown()
      for (const path of [data_dir, store]) rmSync(path, { recursive: true, force: true })
    },
  }
}

/** Throws unless it ends with success. Returns the result. */
export async function succeeded(
  dashboard: Dashboard,
  path: string,
  body: object = {},
): Promise<Record<string, unknown>> {
  const last = (await dashboard.stream('POST', path, body)).at(-1)
  if (last?.event === 'complete') return last.data
  throw new Error(`${path}: ${JSON.stringify(last?.data)}`)
}

const provisioned = (dashboard: Dashboard, id: number) =>
  succeeded(dashboard, `/api/servers/${id}/provision`)

async function addTarget(dashboard: Dashboard, server: number): Promise<void> {
  const created = await dashboard.call('POST', '/api/backup-kit', { public_key: kit.publicKey })
  const answer = opened(kit.privateKey, String(created.body.challenge))
  await dashboard.call('POST', '/api/backup-kit/confirm', { answer })
  const place = { kind: 'local', path: STORE }
  const { body } = await dashboard.call('POST', '/api/backup-targets', { name: 'Store', place })
  const { id } = body.target as { id: number }
  await succeeded(dashboard, `/api/servers/${server}/backup-check`, { target_id: id })
}
