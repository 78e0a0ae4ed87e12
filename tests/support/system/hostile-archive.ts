import { cpSync } from 'node:fs'
import { dashboard as keys, kit, opened } from '#tests/support/agent/backup.ts'
import type { Host } from '#tests/support/lab/index.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { installRestic, type LocalTarget } from '#tests/support/storage/restic.ts'
import { BackupHost, type Ended, SITE } from './backup-host.ts'
import {
  foreignIn,
  PLANT,
  publicOf,
  UIDS,
  VARIANTS,
  type Variant,
  VICTIM,
} from './hostile-entries.ts'
import { get } from './requests.ts'

/** A site of somebody who also has the server and its repository, and where others are neighbours. */
export const EVIL = { ...SITE, domain: 'evil.example.test', user: 'evil1a2b3c' }
export const COPY = { domain: 'copy.example.test', user: 'copy1a2b3c' }
const STORE: LocalTarget = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }
export const SECRET = 'only-the-neighbour-has-this'
/** What no answer of the hostile site may contain, whatever its backup has. */
const FOREIGN = [SECRET, 'root:x:0:0:', 'PRIVATE KEY', 'fastcgi_pass']

export type Saved = { id: string; repository: string; password: string }
/** Two servers: what the first one writes into its repository reaches the second one. */
export class HostileWorld {
  readonly one: BackupHost
  readonly two: BackupHost
  readonly php: string
  good: Saved = { id: '', repository: '', password: '' }
  #manifest: Record<string, unknown> = {}

  private constructor(one: BackupHost, two: BackupHost, php: string) {
    this.one = one
    this.two = two
    this.php = php
  }

  static async start(suite: 'bookworm' | 'trixie'): Promise<HostileWorld> {
    const one = await BackupHost.start(`evil-${suite}`, suite)
    const two = await BackupHost.start(`other-${suite}`, suite)
    const world = new HostileWorld(one, two, suite === 'trixie' ? '8.4' : '8.2')
    for (const { host } of [one, two]) {
      await host.must(['ssh-keygen', '-A'])
      for (const name of ['private.txt', 'private.sql', 'index-key.php']) {
        await host.put(`${VICTIM}/${name}`, `<?php // ${SECRET}\n`, 0o640)
        await host.must(['chown', `${SITE.user}:`, `${VICTIM}/${name}`])
      }
    }
    await one.completed('site.create', { ...EVIL, php: world.php })
    const saving = { dashboard_key: keys.publicKey, recovery_key: kit.publicKey }
    const params = { domain: EVIL.domain, target: STORE, repository: EVIL.user, ...saving }
    const done = await one.completed('backup.create', params)
    const { id, repository } = done.backup as Saved
    const password = opened(keys.privateKey, String(done.sealed_password))
    world.good = { id, repository, password }
    await quickenKeys(`${one.host.root}/mnt/store/${repository}`, password)
    await installRestic(one.host)
    world.#manifest = JSON.parse(await world.#restic(['dump', id, '/manifest.json']))
    return world
  }

  /** Saves a hostile state of the site as its server could; returns the id of the manifest. */
  async plant(variant: Variant, manifest: object = {}): Promise<{ id: string; files: string }> {
    const { host } = this.one
    const script = `rm -rf /site && mkdir -p /site && cp -a ${publicOf(EVIL.user)} /site/public
      ${VARIANTS[variant]}`
    await host.must(['bash', '-ec', script], { env: { PLANT } })
    const files = await this.#saved(['--tag', 'files', '--', '/site'])
    const changed = {
      ...{ ...this.#manifest, owner: { uid: 4242, gid: 4242 } },
      ...{ files: { ...(this.#manifest.files as object), snapshot: files }, ...manifest },
    }
    await host.put('/root/manifest.json', JSON.stringify(changed))
    const stdin = ['--stdin-from-command', '--stdin-filename', 'manifest.json']
    const id = await this.#saved([
      ...stdin,
      '--tag',
      'manifest',
      '--',
      'cat',
      '/root/manifest.json',
    ])
    return { id, files }
  }

  /** The params that name a backup of the site. */
  source(backup: string) {
    const { repository, password } = this.good
    return { target: STORE, repository, ...openedBy(password), backup }
  }

  restore(backup: string, parts: object = { files: true, database: false }): Promise<Ended> {
    const params = { domain: EVIL.domain, ...this.source(backup), parts }
    return this.one.run('backup.restore', params)
  }

  clone(server: BackupHost, from: object): Promise<Ended> {
    return server.run('site.clone', { ...EVIL, ...COPY, php: this.php, from })
  }

  async removeCopy(server: BackupHost): Promise<void> {
    const { domain } = COPY
    await server.completed('site.delete', { domain })
    await server.completed('site.purge', { domain, confirm: domain, trashed_days: 0 })
  }

  /** Files of the site by content, owner and mode. */
  state(): Promise<string> {
    return this.one.host.must([
      ...['bash', '-ec'],
      `cd ${publicOf(EVIL.user)} && find . -path ./wp-content/cache -prune -o -printf '%p %y %U %G %m %l\\n' | sort
       find . -type f -not -path './wp-content/cache/*' -print0 | sort -z | xargs -0 sha256sum`,
    ])
  }

  /** The second server sees what the storage of the first one has. */
  share(): void {
    const store = (server: BackupHost) => `${server.host.root}/mnt/store`
    cpSync(store(this.one), store(this.two), { recursive: true, force: true })
  }

  async #saved(args: readonly string[]): Promise<string> {
    const output = await this.#restic(['backup', '--json', '--host', 'hosting', ...args])
    const last = output.trim().split('\n').at(-1) ?? ''
    return (JSON.parse(last) as { snapshot_id: string }).snapshot_id
  }

  async #restic(args: readonly string[]): Promise<string> {
    const { repository, password } = this.good
    const env = { RESTIC_REPOSITORY: `/mnt/store/${repository}`, RESTIC_PASSWORD: password }
    const argv = ['/root/restic/usr/bin/restic', ...args]
    const { code, stdout, stderr } = await this.one.host.exec(argv, { env })
    if (code !== 0) throw new Error(`restic ${args[0]}: ${stderr}`)
    return stdout
  }
}

export const ended = ({ event, data }: Ended) => (event === 'complete' ? event : data.message)

/** The names of the hostile backup with which an answer was not the content of the site itself. */
export async function leaks(host: Host, domain: string, options: string[] = []): Promise<string[]> {
  const paths = [
    ...UIDS.flatMap((uid) => [`file-${uid}.txt`, `sql-${uid}.txt`, `folder-${uid}/private.txt`]),
    ...UIDS.map((uid) => `folder-${uid}/index-key.php`),
    ...['passwd.txt', 'keys/ssh_host_ed25519_key', 'root/etc/passwd', 'nginx/nginx.conf'],
    ...['etc/passwd', 'ssh_host_ed25519_key', 'private.txt', 'private.sql', 'pipe.php'],
    ...[`root${VICTIM}/private.txt`, `srv/www/${SITE.user}/public/private.txt`],
  ]
  const found: string[] = []
  for (const path of paths) {
    const { body } = await get(host, `http://${domain}/${path}`, {
      options: ['--path-as-is', ...options],
    })
    if (FOREIGN.some((text) => body.includes(text))) found.push(path)
  }
  return found
}

/** Everything of the server that belongs to others: accounts, keys, and the files of the neighbour. */
export const othersOf = (host: Host): Promise<string> =>
  host.must([
    ...['bash', '-ec'],
    `stat -c '%n %U %G %a' / /etc /root /srv /srv/www /etc/passwd /etc/shadow /etc/ssh /etc/ssh/* /usr/bin/su
     sha256sum /etc/ssh/*_key; find ${VICTIM} -printf '%p %U %G %m\n' | sort`,
  ])

/** The site has its own folder alone, nginx serves nothing else, and others are as before. */
export const HARMLESS = { found: '40750\n', leaks: [] as string[], others: 'as before' }

/** Returns what a site has that is not its own, what else nginx serves, and whether others are as before. */
export async function harm(
  { host }: { host: Host },
  { user, domain, options }: { user: string; domain: string; options?: string[] },
  others: string,
): Promise<typeof HARMLESS> {
  return {
    found: await foreignIn(host, user),
    leaks: await leaks(host, domain, options),
    others: (await othersOf(host)) === others ? 'as before' : 'changed',
  }
}
