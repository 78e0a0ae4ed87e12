import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DashboardBackup } from '#shared/api/dashboard-backup.ts'
import { kit } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { installRestic } from '#tests/support/storage/restic.ts'
import { startDashboard } from '#tests/support/system/dashboard.ts'
import { foundDuring } from '#tests/support/system/keeper-secrets.ts'
import type { Storage } from './storages.ts'

const HOME = '/root'

/** The first commands of a document that are marked as tested. */
async function documented(name: string): Promise<string> {
  const text = await Bun.file(`.github/docs/${name}`).text()
  return /<!-- tested[^>]*-->\n```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

/** An empty machine with the kit, restic and the access to a storage. */
export class Rescue {
  readonly #host: lab.Host
  readonly #env: Record<string, string>

  private constructor(host: lab.Host, env: Record<string, string>) {
    this.#host = host
    this.#env = env
  }

  static async start(storage: Storage): Promise<Rescue> {
    const name = `rescue-${storage.service}`
    const host = await lab.startHost({ name, suite: 'bookworm', init: 'systemd' })
    await installRestic(host)
    await host.put(`${HOME}/kit.pem`, kit.privateKey, 0o600)
    await host.put(`${HOME}/repository`, `${storage.repository}\n`, 0o600)
    for (const [path, text] of await storage.read('keys')) {
      await host.put(`${HOME}/keys/${path.split('/').at(-1)}`, text)
    }
    const path = `${HOME}/restic/usr/bin:/usr/bin:/bin`
    return new Rescue(host, { PATH: path, HOME, ...(await access(host, storage)) })
  }

  /** The documented commands, and the records on a dashboard that was never used. */
  async restore(): Promise<{ password: string; place: unknown }> {
    for (const name of ['backup-recovery.md', 'operating.md'])
      await this.#run(await documented(name))
    const folder = await mkdtemp(join(tmpdir(), 'rescue-'))
    const data_dir = join(folder, 'data')
    await Bun.write(`${folder}/dashboard.tar`, Bun.file(`${this.#host.root}${HOME}/dashboard.tar`))
    const argv = ['bun', 'dashboard/main.ts', 'restore', `${folder}/dashboard.tar`]
    await lab.must(['env', `DATA_DIR=${data_dir}`, ...argv])
    const env = { DATA_DIR: data_dir, PRIVATE_ADDRESSES: 'allow', BACKUPS_OFF_SITE: 'off' }
    // It accepts the former login.
    const dashboard = await startDashboard(this.#host.netns, { env })
    const { body } = await dashboard.call('GET', '/api/fleet/dashboard-backup')
    await dashboard.stop()
    await rm(folder, { recursive: true })
    const password = (await this.#host.must(['cat', `${HOME}/password`])).trim()
    const { target } = body.backup as DashboardBackup
    return { password, place: target?.place }
  }

  /** Reads every byte of every backup: how many there are, and which files have a secret meanwhile. */
  async check(secrets: readonly string[]): Promise<{ backups: number; secrets: string[] }> {
    const restic = 'restic --repository-file repository --password-file password --no-lock'
    const found = await foundDuring(this.#host, secrets, () =>
      this.#run(`${restic} check --read-data`),
    )
    const backups = JSON.parse(await this.#run(`${restic} snapshots --json`)).length
    return { backups, secrets: found }
  }

  stop = () => this.#host.remove()

  #run = (commands: string) =>
    this.#host.must(['env', '--chdir', HOME, 'sh', '-ec', commands], {
      env: this.#env,
      timeout_ms: 120_000,
    })
}

/** What restic and ssh(1) need beside the address. */
async function access(host: lab.Host, { target }: Storage): Promise<Record<string, string>> {
  const { place, secret } = target
  if (place.kind === 'sftp') {
    await host.put(`${HOME}/.ssh/id_ed25519`, secret, 0o600)
    await host.put(`${HOME}/.ssh/known_hosts`, `[${place.host}]:${place.port} ${place.host_key}\n`)
    return {}
  }
  await host.put(`${HOME}/ca.pem`, place.ca)
  const ca = { RESTIC_CACERT: `${HOME}/ca.pem` }
  if (place.kind === 'rest') return ca
  return { ...ca, AWS_ACCESS_KEY_ID: place.user, AWS_SECRET_ACCESS_KEY: secret }
}
