import { hostNameOf } from '#agent/features/backups/restic/prepare.ts'
import { sealTo } from '#agent/features/backups/restic/seal.ts'
import { PROOF, provesTag } from '#agent/features/backups/save.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { type Host, must } from '#tests/support/lab/index.ts'
import { restic, type Target } from './restic.ts'

const DAY_MS = 24 * 3_600_000
/** That of the helper `restic`. */
const PASSWORD = 'password'

/** A repository in a target, as an agent on `client` makes and fills it. */
export function historyIn(client: Host, target: Target, name: string) {
  const run = async (...args: string[]) => {
    const outcome = await restic(client, target, name, args)
    if (outcome.code !== 0) throw new Error(`restic ${args[0]}: ${outcome.stderr}`)
    return outcome.stdout
  }
  const snapshot = async (days_ago: number, ...args: string[]) => {
    const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2
    const at = new Date(noon - days_ago * DAY_MS).toISOString()
    const time = at.replace('T', ' ').slice(0, 19)
    const common = ['backup', '--json', '--host', 'hosting', '--time', time]
    const lines = (await run(...common, ...args)).trim().split('\n')
    return String(JSON.parse(lines.at(-1) ?? '').snapshot_id)
  }
  const files = async (days_ago: number) => {
    await client.put('/root/site/page.html', crypto.randomUUID())
    return snapshot(days_ago, '--tag', 'files', '/root/site')
  }
  return {
    run,
    files,
    /** A repository with the key of a keeper. */
    async start(keeper_key: string) {
      await run('init', '--quiet')
      await client.put('/root/password', PASSWORD)
      const user = sealTo(keeper_key, new Secret(PASSWORD))
      const named = ['--user', user, '--host', hostNameOf('keeper', keeper_key)]
      await run('key', 'add', '--quiet', '--new-password-file', '/root/password', ...named)
    },
    /**
     * A complete backup dated noon so many days ago; returns the ids of its manifest and its files.
     */
    async save(days_ago: number) {
      const saved = await files(days_ago)
      await client.put('/root/manifest/manifest.json', JSON.stringify(manifestOf(saved)))
      // restic saves a file by its whole path: the manifest of an agent comes from standard input.
      const words = ['sh', '-c', 'cat /root/manifest/manifest.json']
      const args = ['--tag', 'manifest', '--stdin-filename', 'manifest.json']
      const id = await snapshot(days_ago, ...args, '--stdin-from-command', '--', ...words)
      return { id, files: saved }
    },
    /** Reports that a backup is proven, as an agent does. */
    prove: (id: string, days_ago: number) =>
      snapshot(days_ago, '--tag', PROOF, '--tag', provesTag(id), '/root/manifest'),
    async snapshots(): Promise<string[]> {
      const listed = JSON.parse(await run('snapshots', '--json', '--no-lock'))
      return listed.map(({ id }: { id: string }) => id).sort()
    },
  }
}

const manifestOf = (snapshot: string) => ({
  ...{ version: 1, at: '2026-01-01T00:00:00.000Z', domain: 'shop.example', repository: 'shop' },
  ...{ site: {}, files: { snapshot, count: 1, bytes: 1 } },
  database: null,
})

/** The program with the keeper, for `installKeeper`. */
export async function buildKeeper(file: string, source = 'agent/main.ts'): Promise<void> {
  await must([process.execPath, 'build', '--compile', `--outfile=${file}`, source])
}

/** Puts the keeper on the machine of a storage; returns its public key, and how it is run. */
export async function installKeeper(host: Host, program: string, config: object) {
  await host.put('/usr/local/bin/hosting-agent', await Bun.file(program).bytes(), 0o755)
  await host.put('/etc/hosting-keeper/config.json', JSON.stringify(config), 0o600)
  const key = await host.must(['hosting-agent', 'keeper', 'init'])
  return {
    key: `${key.trim()}\n`,
    async run(...options: string[]) {
      const { code, stdout } = await host.exec(['hosting-agent', 'keeper', 'run', ...options])
      const lines = stdout.split('\n').filter((line) => line.startsWith('{"at"'))
      return { code, report: lines.map((line) => JSON.parse(line)) }
    },
  }
}

/** The units of the document, by name, for repositories in `store`. */
export async function documentedUnits(store: string): Promise<[string, string][]> {
  const text = await Bun.file('.github/docs/backup-keeper.md').text()
  const blocks = text.matchAll(/```ini\n *# \/etc\/systemd\/system\/(\S+)\n([\s\S]*?)```/g)
  return [...blocks].map(([, name = '', unit = '']) => [
    name,
    unit.replace(/^ +/gm, '').replace('/srv/restic/hosting', store),
  ])
}
