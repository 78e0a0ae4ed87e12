import { type Host, startHost } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import { certify, limitDisk, listening, onNetwork, serve, TLS } from './service.ts'

/** Debian 12 has no rest-server. */
const SUITE = 'trixie'
const PACKAGES = ['restic-rest-server']
const HTPASSWD = '/srv/htpasswd'

/** Where the repositories of all users are: `<user>/<repository>`. */
const DATA = '/srv/rest'

/** Only adds: the server refuses to delete or to replace anything but locks. */
const APPEND_PORT = 8000
/** The same repositories with all rights, for a keeper. */
const KEEPER_PORT = 8001

export interface RestOptions {
  name?: string
  /** One account each, which sees only the repositories below its name. */
  users?: readonly string[]
  /** The size of the disk for the repositories. */
  megabytes?: number
}

/** A server with the package of restic's server. Made once on a machine. */
export const restImage = async () =>
  preparePackaged(SUITE, PACKAGES, await morePackages(SUITE, PACKAGES))

/**
 * restic's own server in append-only mode with TLS, on a host of its own: services `rest` and
 * `rest-keeper`. Repositories survive a power failure unless `megabytes` is given.
 */
export async function startRestServer(options: RestOptions = {}) {
  const { name = 'rest', users = ['shop'], megabytes } = options
  const host = await startHost({ name, suite: SUITE, init: 'systemd', image: await restImage() })
  const ca = await certify(host)
  await host.must(['install', '-d', DATA])
  await limitDisk(host, DATA, megabytes)
  const lines = users.map((user) => `${user}:${Bun.password.hashSync(secretOf(user), COST)}\n`)
  await host.put(HTPASSWD, lines.join(''), 0o600)
  await serve(host, 'rest', ['restic-rest-server', ...words(APPEND_PORT), '--append-only'])
  await serve(host, 'rest-keeper', ['restic-rest-server', ...words(KEEPER_PORT)])
  await listening(host, 'rest', APPEND_PORT)
  await listening(host, 'rest-keeper', KEEPER_PORT)
  const at = (port: number) => (user: string) => targetOf(host, port, user, ca)
  return {
    host,
    folder: DATA,
    target: at(APPEND_PORT),
    keeper: at(KEEPER_PORT),
    stop: () => host.remove(),
  }
}

const COST = { algorithm: 'bcrypt', cost: 4 } as const
const secretOf = (user: string) => `password-of-${user}`

const words = (port: number) => [
  ...['--path', DATA, '--listen', `0.0.0.0:${port}`, '--private-repos'],
  ...['--htpasswd-file', HTPASSWD, '--tls', '--tls-key', TLS.key, '--tls-cert', TLS.certificate],
]

const targetOf = (host: Host, port: number, user: string, ca: string) => ({
  place: { kind: 'rest', url: `https://${host.address}:${port}/${user}/`, user, ca } as const,
  secret: secretOf(user),
})

/** The answers of the server, when these files of a repository are deleted and written again. */
export async function attempts(
  client: Host,
  { place, secret }: ReturnType<typeof targetOf>,
  repository: string,
  files: readonly string[],
): Promise<string[]> {
  const answers = new Set<string>()
  const call = async (method: string, file: string, ...more: string[]) => {
    const url = `${place.url}${repository}/${file.replace(/^data\/../, 'data')}`
    const quiet = ['-sk', '-o', '/dev/null', '-w', '%{http_code}', '-X', method, ...more]
    const status = await onNetwork(client, ['curl', ...quiet, '-u', `${place.user}:${secret}`, url])
    answers.add(`${method} ${status}`)
  }
  for (const file of files) {
    await call('DELETE', file)
    await call('POST', file, '--data-binary', 'something else')
  }
  return [...answers].sort()
}

/** The files in a folder of keys, but drafts, as a server with these credentials reads them. */
export async function keysOf(
  client: Host,
  { place, secret }: ReturnType<typeof targetOf>,
  repository: string,
): Promise<string[]> {
  const get = (path: string) =>
    onNetwork(client, [
      ...['curl', '-sSk', '-f', '-u', `${place.user}:${secret}`],
      `${place.url}${repository}/keys/${path}`,
    ])
  const names: string[] = JSON.parse(await get(''))
  return Promise.all(names.filter((name) => /^[0-9a-f]{64}$/.test(name)).map(get))
}
