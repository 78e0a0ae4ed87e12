import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ObjectVersion } from '#agent/programs/keeper/s3/bucket.ts'
import { certificate } from '#tests/support/fixtures/made-certificate.ts'

/** That of S3. */
const MAX_SKEW_MS = 15 * 60_000

/**
 * A bucket in memory: lists, reads, writes and deletes objects, and checks the time of requests and the
 * digests of bodies. `certified_at`: when its certificate is valid. `versions`: what it lists as
 * versions, of which it makes copies and removes single ones.
 */
export async function startSmallS3({ certified_at = Date.now() } = {}) {
  const { pem, private_key } = await certificate('01', undefined, certified_at)
  const objects = new Map<string, string>()
  const versions: ObjectVersion[] = []
  const tls = { key: private_key, cert: pem }
  const server = createServer(tls, async (request, response) => {
    const { status, text } = answerOf({ objects, versions }, request, await bodyOf(request))
    response.writeHead(status).end(text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const bucket = {
    ...{ kind: 's3' as const, url: `https://127.0.0.1:${port}`, bucket: 'backups', ca: pem },
    ...{ prefix: 'sites', region: 'us-east-1', user: 'KEY', secret: 'secret' },
  }
  return { bucket, objects, versions, stop: () => void server.close() }
}

interface Stored {
  objects: Map<string, string>
  versions: ObjectVersion[]
}

function answerOf({ objects, versions }: Stored, request: IncomingMessage, body: string) {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://storage')
  const name = decodeURIComponent(pathname.replace('/backups', '').slice(1))
  const { authorization = '', 'x-amz-content-sha256': sha256 } = request.headers
  if (Math.abs(timeOf(request) - Date.now()) > MAX_SKEW_MS) {
    return { status: 403, text: '<Error><Code>RequestTimeTooSkewed</Code></Error>' }
  }
  const isSigned = authorization.startsWith('AWS4-HMAC-SHA256 Credential=KEY/')
  if (!isSigned || sha256 !== createHash('sha256').update(body).digest('hex')) {
    return { status: 403, text: '<Error><Code>SignatureDoesNotMatch</Code></Error>' }
  }
  const source = String(request.headers['x-amz-copy-source'] ?? '')
  const ofVersions = answerOfVersions(versions, `${request.method} ${name}`, searchParams, source)
  if (ofVersions !== undefined) return { status: 200, text: ofVersions }
  if (request.method === 'GET' && name === '') {
    return { status: 200, text: listOf(objects, searchParams.get('prefix') ?? '') }
  }
  return answerOfObject(objects, request, name, body)
}

function timeOf({ headers }: IncomingMessage): number {
  const [, ...parts] = /^(....)(..)(..T..)(..)(..Z)$/.exec(String(headers['x-amz-date'])) ?? []
  const [year, month, hour, minute, second] = parts
  return Date.parse(`${year}-${month}-${hour}:${minute}:${second}`)
}

function answerOfObject(
  objects: Map<string, string>,
  request: IncomingMessage,
  name: string,
  body: string,
) {
  if (request.method === 'PUT') {
    const md5 = createHash('md5').update(body).digest('base64')
    if (request.headers['content-md5'] !== md5) return { status: 400, text: '' }
    objects.set(name, body)
  }
  if (request.method === 'DELETE') objects.delete(name)
  if (request.method !== 'GET') return { status: 200, text: '' }
  return { status: objects.has(name) ? 200 : 404, text: objects.get(name) ?? '' }
}

function listOf(objects: Map<string, string>, prefix: string): string {
  const listed = [...objects].filter(([key]) => key.startsWith(prefix))
  const contents = listed.map(
    ([key, { length }]) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>${length}</Size></Contents>`,
  )
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`
}

/** Returns the answer to a request about versions of objects; undefined for any other request. */
function answerOfVersions(
  versions: ObjectVersion[],
  call: string,
  asked: URLSearchParams,
  source: string,
): string | undefined {
  const [method, key = ''] = call.split(' ')
  const id = asked.get('versionId')
  if (method === 'PUT' && source !== '') {
    const version = `copy of ${new URL(source, 'https://storage').searchParams.get('versionId')}`
    versions.unshift({ key, version, at: Date.now(), is_latest: true, is_marker: false })
    return ''
  }
  if (method === 'DELETE' && id !== null) {
    const index = versions.findIndex((each) => each.key === key && each.version === id)
    if (index !== -1) versions.splice(index, 1)
    return ''
  }
  return asked.has('versions') ? listOfVersions(versions) : undefined
}

function listOfVersions(versions: readonly ObjectVersion[]): string {
  const entries = versions.map(({ key, version, at, is_latest, is_marker }) => {
    const name = is_marker ? 'DeleteMarker' : 'Version'
    return `<${name}><Key>${key}</Key><VersionId>${version}</VersionId><IsLatest>${is_latest}</IsLatest><LastModified>${new Date(at).toISOString()}</LastModified></${name}>`
  })
  return `<ListVersionsResult>${entries.join('')}</ListVersionsResult>`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
