import { join } from 'node:path'
import { RESTIC } from '#shared/kernel/source.ts'
import { cached } from '#tests/support/lab/cache.ts'
import { type Host, must } from '#tests/support/lab/index.ts'
import type { Outcome } from '#tests/support/lab/run.ts'

/** A place and its secret, as the functions that start servers return them. */
export interface Target {
  place:
    | { kind: 'rest'; url: string; user: string; ca: string }
    | { kind: 's3'; url: string; bucket: string; prefix: string; user: string; ca: string }
    | { kind: 'sftp'; host: string; port: number; user: string; path: string; host_key: string }
  secret: string
}

/** A folder of the computer that runs restic. */
export interface LocalTarget {
  place: { kind: 'local'; path: string }
  secret: string
}

type AnyTarget = Target | LocalTarget

const FOLDER = '/root/restic'

/** The package of restic that the agent installs by default, downloaded once on a machine. */
export async function resticPackage(): Promise<string> {
  const { urls, sha256 } = RESTIC[process.arch === 'arm64' ? 'arm64' : 'x64']
  const folder = await cached(`restic-${sha256.slice(0, 12)}`, async (draft) => {
    const file = join(draft, 'restic.deb')
    const from = (url: string) =>
      must(['/usr/lib/apt/apt-helper', 'download-file', url, file, `SHA256:${sha256}`])
    await urls.reduce<Promise<unknown>>(
      (earlier, url) => earlier.catch(() => from(url)),
      Promise.reject(new Error('restic has no address')),
    )
  })
  return join(folder, 'restic.deb')
}

/** Puts the package where an agent with the default settings finds it without a network. */
export async function putRestic(host: Host, state_dir = '/var/lib/hosting-agent'): Promise<void> {
  const bytes = await Bun.file(await resticPackage()).bytes()
  await host.put(`${state_dir}/cache/restic.deb`, bytes)
}

/** A computer with restic and nothing of an agent, such as one that restores with the kit alone. */
export async function installRestic(host: Host): Promise<void> {
  await host.put(`${FOLDER}/restic.deb`, await Bun.file(await resticPackage()).bytes())
  await host.must(['dpkg-deb', '--extract', `${FOLDER}/restic.deb`, FOLDER])
}

/** Runs restic on `client` for the repository `name` of a target. */
export async function restic(
  client: Host,
  target: AnyTarget,
  name: string,
  args: readonly string[],
): Promise<Outcome> {
  const files = { ...filesOf(target), password: 'password', repository: addressOf(target, name) }
  for (const [file, text] of Object.entries(files)) {
    await client.put(`${FOLDER}/${file}`, `${text}\n`, 0o600)
  }
  const env = {
    RESTIC_PASSWORD_FILE: `${FOLDER}/password`,
    RESTIC_REPOSITORY_FILE: `${FOLDER}/repository`,
    AWS_SHARED_CREDENTIALS_FILE: `${FOLDER}/aws`,
  }
  return client.exec([`${FOLDER}/usr/bin/restic`, ...optionsOf(target), ...args], { env })
}

function filesOf({ place, secret }: AnyTarget): Record<string, string> {
  if (place.kind === 'local') return {}
  if (place.kind === 'rest') return { ca: place.ca }
  if (place.kind === 'sftp') {
    // As ssh(1) names the default port.
    const name = place.port === 22 ? place.host : `[${place.host}]:${place.port}`
    return { key: secret.trimEnd(), known_hosts: `${name} ${place.host_key}` }
  }
  const aws = `[default]\naws_access_key_id=${place.user}\naws_secret_access_key=${secret}`
  return { ca: place.ca, aws }
}

function addressOf({ place, secret }: AnyTarget, name: string): string {
  if (place.kind === 'local') return `${place.path}/${name}`
  if (place.kind === 's3') return `s3:${place.url}/${place.bucket}/${place.prefix}/${name}`
  if (place.kind === 'rest') {
    const [scheme, rest] = place.url.split('://')
    return `rest:${scheme}://${place.user}:${secret}@${rest}${name}/`
  }
  return `sftp://${place.user}@${place.host}:${place.port}/${place.path}/${name}`
}

function optionsOf({ place }: AnyTarget): string[] {
  if (place.kind === 'local') return []
  if (place.kind !== 'sftp') return ['--cacert', `${FOLDER}/ca`]
  const settings = [
    ...['IdentitiesOnly=yes', 'BatchMode=yes', 'StrictHostKeyChecking=yes'],
    ...[`UserKnownHostsFile=${FOLDER}/known_hosts`, 'GlobalKnownHostsFile=/dev/null'],
  ].flatMap((setting) => ['-o', setting])
  return ['-o', `sftp.args=${['-F', 'none', '-i', `${FOLDER}/key`, ...settings].join(' ')}`]
}
