import { OWNER, type startS3Server, WRITER } from './s3.ts'

type Server = Pick<Awaited<ReturnType<typeof startS3Server>>, 'request'>

const HOUR_MS = 3_600_000
const releaseIn = (ms: number) =>
  `<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>${new Date(Date.now() + ms).toISOString()}</RetainUntilDate></Retention>`
const LIFECYCLE = `<LifecycleConfiguration><Rule><ID>x</ID><Filter/><Status>Enabled</Status><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`
const SUSPEND = `<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>`

const textsIn = (body: string, name: string) =>
  [...body.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, text = '']) => text)

/** The keys that can be read in a repository. */
export const keysIn = async ({ request }: Server, repository: string): Promise<string[]> => {
  const url = `?prefix=sites%2F${repository}%2F`
  return textsIn((await request(OWNER, { method: 'GET', url })).body, 'Key')
}

/** Every stored content in a repository: its address, and its digest. */
export async function versionsIn({ request }: Server, repository: string): Promise<string[]> {
  const url = `?versions=&prefix=sites%2F${repository}%2F`
  const { body } = await request(OWNER, { method: 'GET', url })
  return textsIn(body, 'Version').map((version) => {
    const [key] = textsIn(version, 'Key')
    const [id] = textsIn(version, 'VersionId')
    return `/${key}?versionId=${id} ${textsIn(version, 'ETag')[0]}`
  })
}

/** Deletes all objects of a repository with the account of servers, and overwrites its config. */
export async function hideAll(server: Server, repository: string): Promise<string[]> {
  const keys = await keysIn(server, repository)
  for (const key of keys) {
    const url = `/${key}`
    const isConfig = key.endsWith('/config')
    const call = isConfig ? { method: 'PUT', url, body: 'junk' } : { method: 'DELETE', url }
    const { status } = await server.request(WRITER, call)
    if (status >= 300) throw new Error(`${call.method} ${url} answered ${status}`)
  }
  return keys
}

/** The answers to calls of the account of servers that would end the protection of a version. */
export async function releaseAttempts({ request }: Server, version: string): Promise<number[]> {
  const [address = ''] = version.split(' ')
  const attempts = [
    { method: 'DELETE', url: address },
    { method: 'PUT', url: '?lifecycle=', body: LIFECYCLE },
    { method: 'PUT', url: '?versioning=', body: SUSPEND },
    { method: 'PUT', url: address.replace('?', '?retention=&'), body: releaseIn(HOUR_MS) },
    { method: 'DELETE', url: '?policy=' },
  ]
  const answers = await Promise.all(attempts.map((each) => request(WRITER, each)))
  return answers.map(({ status }) => status)
}
